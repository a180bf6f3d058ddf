package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.TransactionTimeoutException;
import io.rowlock.UnitOfWork;
import io.rowlock.testing.Await;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestServer;
import io.rowlock.testing.TestUnit;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promises A1, A4 and A9 (C41) where the transaction manager gives a unit's transaction up. */
class JtaTimeoutIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Tag.TABLE,
          "create function sneak(bigint) returns void language sql as"
              + " $$ insert into tag values ($1, 'by a function') $$");

  static final TransactionManager transactions =
      com.arjuna.ats.jta.TransactionManager.transactionManager();

  static TestUnit unit;
  static Rowlock rowlock;

  /** What is left to a flush that never comes. */
  static final String QUEUED = "persist";

  final AtomicInteger attempts = new AtomicInteger();

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class).jta().poolSize(5).wrapping(JtaTimeoutIT::careless).open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void aSecond() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a', 10)");
    transactions.setTransactionTimeout(1);
  }

  @AfterEach
  void nothing_is_left_on_the_thread() throws Exception {
    transactions.setTransactionTimeout(0);
    assertThat(transactions.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
    assertThat(unit.pool().getMetrics().activeCount()).isZero();
  }

  @Test
  void a_unit_that_returns_too_late_fails_with_the_timeout_and_its_remedy() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock
                    .named("slow")
                    .run(
                        work -> {
                          attempts.incrementAndGet();
                          work.entityManager().find(Tag.class, 1L).n++;
                          work.entityManager().flush();
                          awaitTimeout();
                        }))
        .isInstanceOf(TransactionTimeoutException.class)
        .hasMessageContaining("'slow' on attempt 1")
        .hasMessageContaining("transaction timeout")
        .hasMessageContaining("setTransactionTimeout")
        .satisfies(
            thrown ->
                assertThat(((TransactionTimeoutException) thrown).elapsed())
                    .isGreaterThanOrEqualTo(java.time.Duration.ofMillis(900)));
    assertNothingStored();
  }

  @Test
  void a_unit_that_goes_on_fails_with_the_timeout_and_what_came_of_it() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      work.entityManager().find(Tag.class, 1L).n++;
                      awaitTimeout();
                      work.entityManager().flush();
                    }))
        .isInstanceOf(TransactionTimeoutException.class)
        .hasCauseInstanceOf(RuntimeException.class);
    assertNothingStored();
  }

  @Test
  void an_exception_of_the_business_is_not_hidden_by_the_timeout() throws Exception {
    Exception business = new Exception("of the business");

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      work.entityManager().find(Tag.class, 1L).n++;
                      awaitTimeout();
                      throw business;
                    }))
        .isSameAs(business)
        .satisfies(
            thrown ->
                assertThat(thrown.getSuppressed())
                    .hasAtLeastOneElementOfType(TransactionTimeoutException.class));
    assertNothingStored();
  }

  @Test
  void nothing_that_the_unit_still_tries_is_stored_though_it_swallows_every_failure()
      throws Exception {
    List<String> done = new ArrayList<>();

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      work.entityManager().find(Tag.class, 1L).n++;
                      work.entityManager().flush();
                      awaitTimeout();
                      for (int round = 0; round < 2; round++) {
                        tryEverything(work, done);
                      }
                    }))
        .isInstanceOf(TransactionTimeoutException.class);

    assertThat(done).isSubsetOf(QUEUED);
    assertNothingStored();
  }

  @Test
  void a_unit_in_a_foreign_transaction_that_has_timed_out_is_refused() throws Exception {
    transactions.begin();
    try {
      awaitTimeout();
      assertThatThrownBy(
              () ->
                  rowlock.run(
                      work -> {
                        attempts.incrementAndGet();
                        sneak(work, 3);
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has ended already")
          .hasMessageContaining("timeout");
    } finally {
      transactions.rollback();
    }
    assertThat(attempts).hasValue(0);
    assertThat(db.number("select count(*) from tag")).isOne();
  }

  @Test
  void a_joined_unit_whose_transaction_times_out_stores_nothing_more() throws Exception {
    List<String> done = new ArrayList<>();

    transactions.begin();
    try {
      assertThatThrownBy(
              () ->
                  rowlock.run(
                      work -> {
                        attempts.incrementAndGet();
                        work.entityManager().find(Tag.class, 1L).n++;
                        work.entityManager().flush();
                        awaitTimeout();
                        tryEverything(work, done);
                      }))
          .isInstanceOf(RuntimeException.class);
    } finally {
      transactions.rollback();
    }
    assertThat(done).isSubsetOf(QUEUED);
    assertNothingStored();
  }

  private static void tryEverything(UnitOfWork work, List<String> done) {
    attempt("plain JDBC", done, () -> plainJdbc(work));
    attempt("a native query that writes", done, () -> sneak(work, 4));
    attempt("persist", done, () -> work.entityManager().persist(new Tag(5, "e")));
    attempt("flush", done, () -> work.entityManager().flush());
    attempt(
        "an update",
        done,
        () -> work.entityManager().createNativeQuery("update tag set n = 0").executeUpdate());
    attempt("insert if absent", done, () -> work.insertIfAbsent(new Tag(6, "f")));
    attempt("upsert", done, () -> work.upsert(new Tag(1, "z")));
    attempt("lock", done, () -> work.lock(Tag.class, List.of(1L)));
    attempt("a nested unit", done, () -> rowlock.run(inner -> sneak(inner, 7)));
    attempt("an operation", done, () -> rowlock.insertIfAbsent(new Tag(8, "h")));
  }

  private static void plainJdbc(UnitOfWork work) {
    work.entityManager()
        .unwrap(Session.class)
        .doWork(connection -> execute(connection, "insert into tag values (3, 'by JDBC')"));
  }

  private static void sneak(UnitOfWork work, long id) {
    work.entityManager()
        .createNativeQuery("select cast(sneak(" + id + ") as text)")
        .getResultList();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void attempt(String what, List<String> done, Runnable work) {
    try {
      work.run();
      done.add(what);
    } catch (RuntimeException e) {
      // what careless applications do
    }
  }

  private void assertNothingStored() throws Exception {
    assertThat(attempts).as("attempts").hasValue(1);
    assertThat(db.column("select id || ' ' || n from tag")).containsExactly("1 10");
  }

  /** A pool as some are: without an active transaction, connections commit each statement. */
  private static DataSource careless(DataSource pool) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) ->
                method.getName().equals("getConnection")
                        && transactions.getStatus() == Status.STATUS_ROLLEDBACK
                    ? DriverManager.getConnection(
                        db.url(), TestServer.get().user(), TestServer.get().password())
                    : method.invoke(pool, arguments));
  }

  private static void awaitTimeout() {
    Await.until(
        "the transaction manager has rolled the transaction back",
        () -> transactions.getStatus() == Status.STATUS_ROLLEDBACK);
  }
}
