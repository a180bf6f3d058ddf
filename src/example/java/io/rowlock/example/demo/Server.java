package io.rowlock.example.demo;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  private static final Pattern CREDENTIALS = Pattern.compile("[?&](user|password)=");

  static Server find() throws IOException {
    String url = setting("rowlock.url", "");
    if (!url.isEmpty()) {
      Matcher credentials = CREDENTIALS.matcher(url);
      if (credentials.find()) {
        throw new IllegalArgumentException(
            "The demo connects as several roles: leave '"
                + credentials.group(1)
                + "' out of -Drowlock.url and give -Drowlock.user and -Drowlock.password");
      }
      return new Server(
          url, setting("rowlock.user", "postgres"), setting("rowlock.password", ""), null);
    }
    EmbeddedPostgres started = EmbeddedPostgres.start();
    String local = "jdbc:postgresql://localhost:" + started.getPort() + "/postgres";
    return new Server(local, "postgres", "", started);
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
