package io.rowlock.example.demo;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The PostgreSQL that the demo runs on: the one of {@code -Drowlock.url} ({@code rowlock.user},
 * {@code rowlock.password}), or one that comes as a Maven artifact and ends with the demo.
 *
 * @param url its JDBC URL
 * @param user a role that may create roles and schemas
 * @param password that role's password, empty for none
 * @param embedded the server that was started, null for a given one
 */
record Server(String url, String user, String password, EmbeddedPostgres embedded)
    implements AutoCloseable {

  static Server find() throws IOException {
    String url = System.getProperty("rowlock.url", "");
    if (!url.isBlank()) {
      return new Server(
          url, setting("rowlock.user", "postgres"), setting("rowlock.password", ""), null);
    }
    EmbeddedPostgres started = EmbeddedPostgres.start();
    return new Server(started.getJdbcUrl("postgres", "postgres"), "postgres", "", started);
  }

  private static String setting(String name, String otherwise) {
    String value = System.getProperty(name, "");
    return value.isBlank() ? otherwise : value;
  }

  boolean given() {
    return embedded == null;
  }

  /** Connections of the given role. */
  DataSource as(String role, String secret) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(url);
    source.setUser(role);
    source.setPassword(secret);
    return source;
  }

  /** A connection of the administrating role. */
  Connection connect() throws SQLException {
    return as(user, password).getConnection();
  }

  String version() throws SQLException {
    try (Connection connection = connect()) {
      return connection.getMetaData().getDatabaseProductVersion();
    }
  }

  @Override
  public void close() throws IOException {
    if (embedded != null) {
      embedded.close();
    }
  }
}
