package io.rowlock.testing;

import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The database of one test class: a schema of its own on the {@link TestServer}, dropped at the
 * end. Register it in a static field:
 *
 * <pre>{@code
 * @RegisterExtension static final Postgres db = new Postgres("create table tag (...)");
 * }</pre>
 *
 * <p>After every test it closes the rivals and fails the test if a pool has a connection in use, a
 * backend an open transaction, or a backend waits for a lock.
 */
public final class Postgres implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  private final String[] ddl;
  private final String schema =
      "t" + ProcessHandle.current().pid() + "_" + SCHEMAS.incrementAndGet();
  private final Deque<Rival> rivals = new ArrayDeque<>();
  private final List<TestUnit> units = new ArrayList<>();

  /** A schema in which the statements have been run. */
  public Postgres(String... ddl) {
    this.ddl = ddl;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws SQLException {
    execute("create schema " + schema);
    for (String statement : ddl) {
      execute(statement);
    }
  }

  @Override
  public void afterEach(ExtensionContext context) throws SQLException {
    while (!rivals.isEmpty()) {
      rivals.pop().close();
    }
    for (TestUnit unit : units) {
      Await.until(
          "no connection of the pool is in use", () -> unit.pool().getMetrics().activeCount() == 0);
    }
    Await.until("no backend has an open transaction or waits: " + schema, () -> busy().isEmpty());
  }

  @Override
  public void afterAll(ExtensionContext context) throws SQLException {
    units.forEach(TestUnit::close);
    units.clear();
    execute("drop schema " + schema + " cascade");
  }

  /** The schema's name. */
  public String schema() {
    return schema;
  }

  /** The JDBC URL of this schema; more parameters can be appended, each with an {@code &}. */
  public String url() {
    return TestServer.get().url()
        + (TestServer.get().url().contains("?") ? "&" : "?")
        + "currentSchema="
        + schema
        + ",public&ApplicationName="
        + schema;
  }

  /** A new connection to the schema as the administrating role. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url(), TestServer.get().user(), TestServer.get().password());
  }

  /** Runs statements in auto-commit mode on a connection of their own. */
  public void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The first column of all rows, read on a connection of its own. */
  public List<Object> column(String sql, Object... parameters) throws SQLException {
    try (Rival reader = new Rival(connect())) {
      return reader.column(sql, parameters);
    }
  }

  /** The first column of the only row, read on a connection of its own. */
  public Object one(String sql, Object... parameters) throws SQLException {
    try (Rival reader = new Rival(connect())) {
      return reader.one(sql, parameters);
    }
  }

  /** The first column of the only row, as a {@code long}. */
  public long number(String sql, Object... parameters) throws SQLException {
    return ((Number) one(sql, parameters)).longValue();
  }

  /** A writer beside Rowlock, closed after the test. */
  public Rival rival() throws SQLException {
    Rival rival = new Rival(connect());
    rivals.push(rival);
    return rival;
  }

  /** Describes an entity manager factory over these entities. */
  public TestUnit.Builder unit(Class<?>... entities) {
    return new TestUnit.Builder(this, entities);
  }

  void opened(TestUnit unit) {
    units.add(unit);
  }

  /** Waits until some backend is blocked by that process; answers which. */
  public int awaitBlockedBy(int pid) {
    List<Object> blocked = new ArrayList<>();
    Await.until(
        "a backend is blocked by " + pid,
        () -> {
          blocked.clear();
          blocked.addAll(
              column(
                  "select pid from pg_stat_activity where ? = any (pg_blocking_pids(pid))", pid));
          return !blocked.isEmpty();
        });
    return ((Number) blocked.get(0)).intValue();
  }

  /** Waits until that process is blocked by any other. */
  public void awaitBlocked(int pid) {
    Await.until(
        "backend " + pid + " is blocked",
        () -> number("select cardinality(pg_blocking_pids(?))", pid) > 0);
  }

  /**
   * How many deadlocks the server has counted in this database. A backend may keep its counts for
   * itself for ten seconds, unless it ends: so those of the pools are ended first.
   */
  public long deadlocks() throws SQLException {
    endIdleBackends();
    // before 15, what is read is a file, as new as it says; afterwards it is memory, and null
    Object now = one("select clock_timestamp()::text");
    Await.until(
        "the server's counts are of now",
        () ->
            (Boolean)
                one(
                    "select coalesce(pg_stat_get_snapshot_timestamp() >= ?::timestamptz, true)",
                    now));
    return number("select deadlocks from pg_stat_database where datname = current_database()");
  }

  private void endIdleBackends() {
    for (TestUnit unit : units) {
      if (unit.factory().isOpen()) {
        unit.pool().flush(AgroalDataSource.FlushMode.GRACEFUL);
      }
    }
    String theirs = rivals.stream().map(rival -> "," + rival.pid()).collect(Collectors.joining());
    Await.until(
        "no backends are left but those of rivals",
        () ->
            number(
                    "select count(*) from pg_stat_activity where application_name = ?"
                        + " and pid not in (pg_backend_pid()"
                        + theirs
                        + ")",
                    schema)
                == 0);
  }

  private List<String> busy() throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "select pid || ' ' || state || ': ' || query from pg_stat_activity"
                    + " where application_name = ? and pid <> pg_backend_pid()"
                    + " and (state <> 'idle' or cardinality(pg_blocking_pids(pid)) > 0)")) {
      statement.setString(1, schema);
      List<String> found = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found.add(rows.getString(1));
        }
      }
      return found;
    }
  }
}
