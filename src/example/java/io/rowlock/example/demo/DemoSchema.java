package io.rowlock.example.demo;

import io.rowlock.example.ChangeLog;
import jakarta.persistence.Persistence;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * A schema of the demo's own, with the two roles of a careful deployment: one owns the tables and
 * runs the change log, the other is the application and can do nothing else but read and write
 * rows. All three are dropped at the end, also when the demo is interrupted.
 */
final class DemoSchema implements AutoCloseable {

  private static final int LOOKS = 500;

  private final Server server;
  private final String name;
  private final String owner;
  private final String application;
  private final String secret;
  private final AtomicBoolean dropped = new AtomicBoolean();

  private DemoSchema(Server server, String suffix, String secret) {
    this.server = server;
    this.secret = secret;
    name = "rowlock_demo_" + suffix;
    owner = "rowlock_demo_owner_" + suffix;
    application = "rowlock_demo_app_" + suffix;
  }

  /** Creates the roles and the schema, and runs the article store's change log as the owner. */
  static DemoSchema create(Server server) throws SQLException {
    DemoSchema schema = new DemoSchema(server, random(4), random(16));
    if (server.given()) {
      Runtime.getRuntime().addShutdownHook(new Thread(schema::dropQuietly));
    }
    try {
      schema.createRolesAndSchema();
      ChangeLog.articles()
          .apply(schema.connections(schema.owner), Map.of("application.role", schema.application));
      return schema;
    } catch (SQLException | RuntimeException e) {
      schema.dropQuietly();
      throw e;
    }
  }

  private static String random(int bytes) {
    byte[] drawn = new byte[bytes];
    new SecureRandom().nextBytes(drawn);
    return HexFormat.of().formatHex(drawn);
  }

  private void createRolesAndSchema() throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("create role " + owner + " login password '" + secret + "'");
      statement.execute("create role " + application + " login password '" + secret + "'");
      // Without this only a superuser could give the schema to the owner, and drop it.
      statement.execute("grant " + owner + ", " + application + " to current_user");
      statement.execute("create schema " + name + " authorization " + owner);
      statement.execute("grant usage on schema " + name + " to " + application);
      for (String role : new String[] {owner, application}) {
        statement.execute("alter role " + role + " set search_path = " + name);
      }
    }
  }

  String owner() {
    return owner;
  }

  String application() {
    return application;
  }

  /** One process of the application, as {@code persistence.xml} describes it. */
  Application openApplication() {
    return new Application(
        Persistence.createEntityManagerFactory(
            "articles",
            Map.of(
                "jakarta.persistence.jdbc.url", server.url(),
                "jakarta.persistence.jdbc.user", application,
                "jakarta.persistence.jdbc.password", secret)));
  }

  /** A connection of the application's role without any of its code. */
  Connection connectAsApplication() throws SQLException {
    return connections(application).getConnection();
  }

  /** The first column of the only row, read by the owner. */
  long number(String sql) throws SQLException {
    try (Connection connection = connections(owner).getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** The stored revisions by id, read by the owner. */
  Map<Long, Long> revisions() throws SQLException {
    try (Connection connection = connections(owner).getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select id, revision from articles")) {
      Map<Long, Long> revisions = new HashMap<>();
      while (rows.next()) {
        revisions.put(rows.getLong(1), rows.getLong(2));
      }
      return revisions;
    }
  }

  /**
   * How many deadlocks the server has counted in the database. A connection reports its counts when
   * it ends at the latest, so the application must have been closed; the end of its connections is
   * waited for.
   */
  long deadlocks() throws SQLException {
    long open = 1;
    for (int i = 0; open > 0 && i < LOOKS; i++) {
      open =
          number(
              "select count(*) from pg_stat_activity, pg_sleep(0.01) where usename = '"
                  + application
                  + "'");
    }
    // before 15, what is read is a file, as new as it says; afterwards it is memory, and null
    long now = number("select extract(epoch from clock_timestamp()) * 1000000");
    long old = 1;
    for (int i = 0; old > 0 && i < LOOKS; i++) {
      old =
          number(
              "select count(*) from pg_sleep(0.01) where pg_stat_get_snapshot_timestamp()"
                  + " < to_timestamp("
                  + now
                  + " / 1000000.0)");
    }
    return number("select deadlocks from pg_stat_database where datname = current_database()");
  }

  private DataSource connections(String role) {
    return server.as(role, secret);
  }

  @Override
  public void close() throws SQLException {
    if (dropped.getAndSet(true)) {
      return;
    }
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "select pg_terminate_backend(pid) from pg_stat_activity where usename in ('"
              + owner
              + "', '"
              + application
              + "')");
      statement.execute("drop schema if exists " + name + " cascade");
      statement.execute("drop role if exists " + application);
      statement.execute("drop role if exists " + owner);
    }
  }

  private void dropQuietly() {
    try {
      close();
    } catch (SQLException e) {
      System.out.println("Left behind: schema " + name + ", " + e.getMessage());
    }
  }
}
