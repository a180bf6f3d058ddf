package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Promise A9: whatever is thrown, no connection goes back with a transaction, and nothing sticks to
 * it.
 */
class A9PoolStaysCleanIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  @BeforeEach
  void one_row() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a')");
  }

  static Stream<Throwable> anything() {
    return Stream.of(
        new Exception("checked"),
        new IllegalStateException("unchecked"),
        new AssertionError("error"),
        new OutOfMemoryError("stand-in"),
        new StackOverflowError("stand-in"),
        new InterruptedException("checked"));
  }

  @ParameterizedTest
  @MethodSource("anything")
  void whatever_the_function_throws_leaves_as_it_is_and_nothing_stays(Throwable thrown)
      throws Exception {
    TestUnit unit = db.unit(Tag.class).poolSize(1).open();

    assertThatThrownBy(
            () ->
                Rowlock.of(unit.factory())
                    .run(work -> insertAndThrow(work.entityManager(), thrown)))
        .isSameAs(thrown);

    assertNothingStays(unit);
  }

  @Test
  void a_pool_without_auto_commit_gets_no_open_transaction_back() throws Exception {
    TestUnit unit =
        db.unit(Tag.class).poolSize(1).wrapping(A9PoolStaysCleanIT::withoutAutoCommit).open();

    assertThatThrownBy(
            () ->
                Rowlock.of(unit.factory())
                    .run(
                        work ->
                            insertAndThrow(work.entityManager(), new OutOfMemoryError("stand-in"))))
        .isInstanceOf(OutOfMemoryError.class);

    assertNothingStays(unit);
  }

  @Test
  void a_rollback_that_fails_is_suppressed_and_the_connection_is_discarded() throws Exception {
    RefusingRollbacks rollbacks = new RefusingRollbacks();
    TestUnit unit = db.unit(Tag.class).poolSize(1).wrapping(rollbacks::around).open();
    Exception thrown = new Exception("the reason");
    AtomicInteger pid = new AtomicInteger();
    rollbacks.refusing.set(true);

    assertThatThrownBy(
            () ->
                Rowlock.of(unit.factory())
                    .run(
                        work -> {
                          pid.set(Conflicts.pid(work.entityManager()));
                          insertAndThrow(work.entityManager(), thrown);
                        }))
        .isSameAs(thrown)
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .anyMatch(suppressed -> suppressed.getMessage().contains("rollback refused")));

    rollbacks.refusing.set(false);
    io.rowlock.testing.Await.until(
        "the server process of the discarded connection is gone",
        () -> db.number("select count(*) from pg_stat_activity where pid = ?", pid.get()) == 0);
    assertNothingStays(unit);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void after_an_error_of_the_virtual_machine_the_connection_is_not_used_again(boolean wrapped)
      throws Exception {
    TestUnit unit = db.unit(Tag.class).poolSize(1).open();
    Throwable error = new StackOverflowError("stand-in, perhaps before an answer was read");
    Throwable thrown = wrapped ? new IllegalStateException(error) : error;
    AtomicInteger pid = new AtomicInteger();

    assertThatThrownBy(
            () ->
                Rowlock.of(unit.factory())
                    .run(
                        work -> {
                          pid.set(Conflicts.pid(work.entityManager()));
                          insertAndThrow(work.entityManager(), thrown);
                        }))
        .isSameAs(thrown);

    io.rowlock.testing.Await.until(
        "the server process of the discarded connection is gone",
        () -> db.number("select count(*) from pg_stat_activity where pid = ?", pid.get()) == 0);
    assertNothingStays(unit);
  }

  @Test
  void a_rollback_that_fails_after_an_abort_does_not_keep_the_unit_from_running_again()
      throws Exception {
    RefusingRollbacks rollbacks = new RefusingRollbacks();
    TestUnit unit = db.unit(Tag.class).poolSize(1).wrapping(rollbacks::around).open();
    AtomicInteger attempts = new AtomicInteger();

    Rowlock.of(unit.factory())
        .run(
            work -> {
              rollbacks.refusing.set(attempts.incrementAndGet() == 1);
              work.entityManager().persist(new Tag(2, "b"));
              work.entityManager().flush();
              if (attempts.get() == 1) {
                Conflicts.raise(work.entityManager(), "40001");
              }
            });

    assertThat(attempts).hasValue(2);
    assertThat(db.number("select count(*) from tag where id = 2")).isOne();
  }

  @Test
  void a_connection_killed_in_mid_unit_is_told_as_that_and_later_units_work() throws Exception {
    TestUnit unit = db.unit(Tag.class).poolSize(1).open();
    Rowlock rowlock = Rowlock.of(unit.factory());
    AtomicInteger attempts = new AtomicInteger();
    List<EntityManager> used = new ArrayList<>();

    Throwable thrown =
        catchThrowable(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      EntityManager em = work.entityManager();
                      used.add(em);
                      em.persist(new Tag(2, "b"));
                      em.flush();
                      Conflicts.kill(db, Conflicts.pid(em));
                      em.createNativeQuery("select 1").getResultList();
                    }));

    assertThat(FailureClassifier.classify(thrown).kind()).isEqualTo(FailureKind.CONNECTION_LOST);
    assertThat(FailureClassifier.classify(thrown).sqlState()).isEqualTo("57P01");
    assertThat(attempts).hasValue(1);
    assertThat(used.get(0).isOpen()).isFalse();
    for (int i = 0; i < 3; i++) {
      rowlock.run(work -> work.entityManager().find(Tag.class, 1L).n++);
    }
    assertThat(db.number("select n from tag")).isEqualTo(3);
  }

  @Test
  void nothing_that_a_unit_has_set_sticks_to_its_connection() throws Exception {
    TestUnit unit = db.unit(Tag.class).poolSize(1).open();
    Rowlock rowlock = Rowlock.of(unit.factory());

    rowlock.isolation(IsolationLevel.SERIALIZABLE).run(work -> work.lock(Tag.class, List.of(1L)));
    assertThat(settings(unit)).containsExactly("read committed", "0", "0");

    assertThatThrownBy(
            () ->
                rowlock
                    .isolation(IsolationLevel.SERIALIZABLE)
                    .run(work -> insertAndThrow(work.entityManager(), new Exception())))
        .isInstanceOf(Exception.class);
    assertThat(settings(unit)).containsExactly("read committed", "0", "0");
  }

  @Test
  void a_unit_whose_transaction_cannot_begin_takes_no_connection_with_it() throws Exception {
    // the pool believes its connection to be alive, because nothing validates it
    TestUnit unit = db.unit(Tag.class).poolSize(1).unvalidated().open();
    Rowlock rowlock = Rowlock.of(unit.factory());
    Conflicts.kill(db, rowlock.call(work -> Conflicts.pid(work.entityManager())));
    AtomicInteger attempts = new AtomicInteger();

    Throwable thrown = catchThrowable(() -> rowlock.run(work -> attempts.incrementAndGet()));

    assertThat(FailureClassifier.classify(thrown).kind()).isEqualTo(FailureKind.CONNECTION_LOST);
    assertThat(attempts).hasValue(0);
    assertThat(unit.pool().getMetrics().activeCount()).isZero();
  }

  private static void insertAndThrow(EntityManager em, Throwable thrown) throws Exception {
    em.persist(new Tag(2, "b"));
    em.flush();
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (Exception) thrown;
  }

  private static void assertNothingStays(TestUnit unit) throws SQLException {
    assertThat(unit.pool().getMetrics().activeCount()).isZero();
    assertThat(db.column("select id from tag")).containsExactly(1L);
    try (Connection next = unit.pool().getConnection()) {
      assertThat(next.unwrap(BaseConnection.class).getTransactionState())
          .isEqualTo(TransactionState.IDLE);
      // would commit what is open
      next.setAutoCommit(true);
      assertThat(one(next, "select count(*) from tag")).isEqualTo("1");
    }
    assertThat(db.column("select id from tag")).containsExactly(1L);
  }

  private static List<String> settings(TestUnit unit) throws SQLException {
    try (Connection connection = unit.pool().getConnection()) {
      return List.of(
          one(connection, "show transaction_isolation"),
          one(connection, "show lock_timeout"),
          one(connection, "show statement_timeout"));
    }
  }

  private static String one(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  private static DataSource withoutAutoCommit(DataSource pool) {
    return (DataSource)
        java.lang.reflect.Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              Object answer = method.invoke(pool, arguments);
              if (answer instanceof Connection connection) {
                connection.setAutoCommit(false);
              }
              return answer;
            });
  }
}
