package io.rowlock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.testing.TcpProxy.Fault;
import io.rowlock.testing.TcpProxy.Planned;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The proxy breaks what it is asked to break, where it is asked to. */
class TcpProxyIT {

  @RegisterExtension static final Postgres db = new Postgres("create table t (id int)");

  static final TcpProxy proxy = TcpProxy.open();

  @BeforeEach
  void no_rows() throws Exception {
    db.execute("truncate t");
  }

  @AfterEach
  void calm() {
    proxy.calm();
    proxy.admit();
    proxy.cutAll();
  }

  @AfterAll
  static void close() {
    proxy.close();
  }

  @Test
  void what_is_not_planned_passes() throws Exception {
    try (Connection connection = connect()) {
      for (int i = 0; i < 10; i++) {
        insert(connection, i);
        connection.commit();
      }
    }
    assertThat(rows()).isEqualTo(10);
    Await.until("the connection is forgotten", () -> proxy.connections() == 0);
  }

  @Test
  void a_cut_before_commit_loses_the_row() throws Exception {
    assertLost(Fault.CUT_BEFORE);
    assertThat(rows()).isZero();
  }

  @Test
  void a_cut_after_the_answer_keeps_it() throws Exception {
    assertLost(Fault.CUT_ANSWERED);
    assertThat(rows()).isEqualTo(1);
  }

  @Test
  void a_cut_after_the_delivery_keeps_it_too() throws Exception {
    assertLost(Fault.CUT_DELIVERED);
    Await.until("the server has committed", () -> rows() == 1);
  }

  @Test
  void what_only_the_client_has_lost_stays_open_until_it_is_released() throws Exception {
    Planned lost = assertLost(Fault.LOSE_BEFORE);
    assertThat(open()).isEqualTo(1);
    lost.release();
    Await.until("the server has rolled back", () -> open() == 0);
    assertThat(rows()).isZero();
  }

  /** The driver has prepared COMMIT by then and does not send its text again. */
  @Test
  void a_commit_is_known_by_its_prepared_name_too() throws Exception {
    try (Connection connection = connect()) {
      for (int i = 0; i < 10; i++) {
        insert(connection, i);
        connection.commit();
      }
      proxy.atCommit(Fault.CUT_BEFORE);
      insert(connection, 10);
      assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
    }
    assertThat(rows()).isEqualTo(10);
  }

  @Test
  void a_cut_in_a_result_comes_after_its_first_bytes() throws Exception {
    Planned cut = proxy.at(sql -> sql.contains("generate_series"), Fault.CUT_IN_RESULT);
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(() -> statement.executeQuery("select generate_series(1, 1000)"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
    }
    assertThat(cut.happened()).isTrue();
  }

  @Test
  void a_stalled_statement_goes_on_once_it_is_released() throws Exception {
    Planned stalled = proxy.at(sql -> sql.contains("42"), Fault.STALL);
    Future<Integer> answer =
        Together.start(
            () -> {
              try (Connection connection = connect();
                  Statement statement = connection.createStatement();
                  ResultSet row = statement.executeQuery("select 42")) {
                row.next();
                return row.getInt(1);
              }
            });
    Await.until("the statement is stalled", stalled::happened);
    assertThat(answer.isDone()).isFalse();
    stalled.release();
    assertThat(Together.get(answer)).isEqualTo(42);
  }

  @Test
  void connections_are_refused_and_admitted_again() throws Exception {
    proxy.refuse();
    assertThatThrownBy(this::connect).hasMessageContaining("refused");
    proxy.admit();
    connect().close();
  }

  private Planned assertLost(Fault fault) throws SQLException {
    Planned cut = proxy.atCommit(fault);
    try (Connection connection = connect()) {
      insert(connection, 1);
      assertThat(cut.happened()).isFalse();
      assertThatThrownBy(connection::commit)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
    }
    assertThat(cut.happened()).isTrue();
    return cut;
  }

  private Connection connect() throws SQLException {
    TestServer server = TestServer.get();
    Connection connection =
        DriverManager.getConnection(proxy.through(db.url()), server.user(), server.password());
    connection.setAutoCommit(false);
    return connection;
  }

  private static void insert(Connection connection, int id) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("insert into t values (" + id + ")");
    }
  }

  private static long rows() throws SQLException {
    return db.number("select count(*) from t");
  }

  private static long open() throws SQLException {
    return db.number(
        "select count(*) from pg_stat_activity where application_name = ?"
            + " and state = 'idle in transaction'",
        db.schema());
  }
}
