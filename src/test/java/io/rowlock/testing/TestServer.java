package io.rowlock.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The PostgreSQL that this JVM's tests run on. It is looked for in this order: the server named by
 * {@code -Drowlock.url} (with {@code rowlock.user}, {@code rowlock.password}); a container, where a
 * Docker engine answers and has, or can get, the image; an embedded one. {@code
 * -Drowlock.database=docker} or {@code embedded} insists on one of the latter.
 *
 * @param url the JDBC URL, without parameters
 * @param user a role that may create schemas, roles and extensions
 * @param password that role's password
 */
public record TestServer(String url, String user, String password) {

  private static final class Found {
    static final TestServer SERVER = find();
  }

  /** The server, found or started at the first call. */
  public static TestServer get() {
    return Found.SERVER;
  }

  /** A new connection as the administrating role. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url, user, password);
  }

  private static TestServer find() {
    String url = setting("rowlock.url");
    if (url != null) {
      String user = setting("rowlock.user");
      String password = setting("rowlock.password");
      return told(
          "the given server",
          new TestServer(url, user == null ? "postgres" : user, password == null ? "" : password));
    }
    String wanted = setting("rowlock.database");
    if (wanted == null || wanted.equals("docker")) {
      DockerServer docker = new DockerServer();
      Optional<TestServer> started = docker.start();
      if (started.isPresent()) {
        return told("a container of " + docker.image(), started.get());
      }
      if (wanted != null) {
        throw new IllegalStateException("No PostgreSQL from Docker: " + docker.reason());
      }
      return told("embedded, since " + docker.reason(), EmbeddedServer.start());
    }
    if (wanted.equals("embedded")) {
      return told("embedded, as asked", EmbeddedServer.start());
    }
    throw new IllegalStateException(
        "-Drowlock.database=" + wanted + " is neither 'docker' nor 'embedded'");
  }

  private static TestServer told(String which, TestServer server) {
    try (Connection connection = server.connect()) {
      System.out.printf(
          "Tests run on PostgreSQL %s (%s)%n",
          connection.getMetaData().getDatabaseProductVersion(), which);
    } catch (SQLException e) {
      throw new IllegalStateException("No connection to " + server.url + " (" + which + ")", e);
    }
    return server;
  }

  private static String setting(String name) {
    String value = System.getProperty(name);
    return value == null || value.isBlank() || value.startsWith("${") ? null : value;
  }
}
