package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.Rowlock;
import io.rowlock.SwallowedFailureException;
import io.rowlock.UnitOfWork;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.hibernate.Session;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise A2: a unit that returns has committed, whatever its function has swallowed. */
class A2SuccessMeansCommittedIT {

  private static final String CLASH = "insert into tag values (1, 'clash')";

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Tag.TABLE,
          "create table late (id bigint, constraint late_key unique (id) deferrable initially deferred)");

  static Rowlock rowlock;
  static TestUnit unit;

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class).open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void two_rows() throws Exception {
    db.execute("truncate tag, late", "insert into tag values (1, 'a'), (2, 'b'), (3, 'c')");
  }

  @Test
  void a_failure_swallowed_around_the_entity_manager_is_no_success() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      keepNote(work);
                      swallow(() -> work.entityManager().createNativeQuery(CLASH).executeUpdate());
                    }))
        .isInstanceOf(SwallowedFailureException.class)
        .hasMessageContaining("'unit' on attempt 1 of 50")
        .hasMessageContaining("tag_pkey")
        .cause()
        .isInstanceOf(SQLException.class)
        .extracting(cause -> ((SQLException) cause).getSQLState())
        .isEqualTo("23505");

    assertThat(notes()).isZero();
  }

  @Test
  void a_failure_swallowed_in_plain_jdbc_is_no_success() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      keepNote(work);
                      doWork(work, connection -> swallow(() -> execute(connection, CLASH)));
                    }))
        .isInstanceOf(SwallowedFailureException.class)
        .hasRootCauseInstanceOf(SQLException.class)
        .hasMessageContaining("tag_pkey");

    assertThat(notes()).isZero();
  }

  @Test
  void a_swallowed_deadlock_runs_the_whole_unit_again() throws Exception {
    AtomicInteger attempts = new AtomicInteger();

    rowlock.run(
        work -> {
          keepNote(work);
          if (attempts.incrementAndGet() == 1) {
            swallow(() -> Conflicts.deadlock(db, work.entityManager()));
          }
        });

    assertThat(attempts).hasValue(2);
    assertThat(notes()).isOne();
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(100);
  }

  @Test
  void a_serialization_failure_swallowed_in_plain_jdbc_runs_the_whole_unit_again()
      throws Exception {
    AtomicInteger attempts = new AtomicInteger();

    rowlock.run(
        work -> {
          keepNote(work);
          if (attempts.incrementAndGet() == 1) {
            doWork(
                work, connection -> swallow(() -> execute(connection, Conflicts.raising("40001"))));
          }
        });

    assertThat(attempts).hasValue(2);
    assertThat(notes()).isOne();
  }

  @Test
  void a_swallowed_deadlock_that_shows_as_an_aborted_transaction_later_runs_again()
      throws Exception {
    AtomicInteger attempts = new AtomicInteger();

    rowlock.run(
        work -> {
          keepNote(work);
          if (attempts.incrementAndGet() == 1) {
            swallow(() -> Conflicts.deadlock(db, work.entityManager()));
            work.entityManager().createNativeQuery("select 1").getResultList();
          }
        });

    assertThat(attempts).hasValue(2);
    assertThat(notes()).isOne();
  }

  @Test
  void a_failure_swallowed_within_a_savepoint_that_was_rolled_back_costs_nothing()
      throws Exception {
    rowlock.run(
        work -> {
          keepNote(work);
          doWork(
              work,
              connection -> {
                var savepoint = connection.setSavepoint();
                swallow(() -> execute(connection, CLASH));
                connection.rollback(savepoint);
              });
        });

    assertThat(notes()).isOne();
  }

  @Test
  void a_failure_of_an_operation_that_was_swallowed_is_the_cause() throws Exception {
    try (var rival = db.rival()) {
      rival.execute("select from tag where id = 1 for update");

      assertThatThrownBy(
              () ->
                  rowlock.run(
                      work -> {
                        keepNote(work);
                        swallow(
                            () ->
                                work.lock(
                                    Tag.class,
                                    java.util.List.of(1L),
                                    io.rowlock.lock.Locking.defaults().noWait()));
                      }))
          .isInstanceOf(SwallowedFailureException.class)
          .hasRootCauseInstanceOf(SQLException.class);
    }
    assertThat(notes()).isZero();
  }

  @Test
  void marking_for_rollback_and_returning_is_told_as_what_it_is() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      keepNote(work);
                      work.entityManager().getTransaction().setRollbackOnly();
                    }))
        .isInstanceOf(SwallowedFailureException.class)
        .hasMessageContaining("marked for rollback")
        .hasNoCause();

    assertThat(notes()).isZero();
  }

  @Test
  void a_find_that_answers_null_in_a_broken_transaction_is_not_taken_for_an_absent_row()
      throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      EntityManager em = work.entityManager();
                      swallow(() -> em.createNativeQuery(CLASH).executeUpdate());
                      if (em.find(Tag.class, 2L) == null) {
                        throw new IllegalStateException("row 2 is missing, says find");
                      }
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      EntityManager em = work.entityManager();
                      swallow(() -> em.createNativeQuery(CLASH).executeUpdate());
                      assertThat(em.find(Tag.class, 2L)).isNull();
                    }))
        .isInstanceOf(SwallowedFailureException.class)
        .hasMessageContaining("tag_pkey");
  }

  @Test
  void a_find_that_answers_null_on_a_connection_that_is_gone_is_no_success() throws Exception {
    AtomicInteger attempts = new AtomicInteger();

    Throwable thrown =
        catchThrowable(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      EntityManager em = work.entityManager();
                      Conflicts.kill(db, Conflicts.pid(em));
                      // Hibernate before 7.2 throws
                      assertThat(em.find(Tag.class, 2L)).isNull();
                    }));

    assertThat(thrown).isInstanceOfAny(SwallowedFailureException.class, PersistenceException.class);
    assertThat(kindOf(thrown)).isEqualTo(FailureKind.CONNECTION_LOST);
    assertThat(attempts).hasValue(1);
  }

  @Test
  void a_deferred_constraint_that_the_commit_finds_violated_is_no_success() throws Exception {
    AtomicInteger attempts = new AtomicInteger();

    Throwable thrown =
        catchThrowable(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      keepNote(work);
                      work.entityManager()
                          .createNativeQuery("insert into late values (1), (1)")
                          .executeUpdate();
                    }));

    assertThat(thrown).isInstanceOf(PersistenceException.class);
    assertThat(kindOf(thrown)).isEqualTo(FailureKind.UNIQUE_VIOLATION);
    assertThat(attempts).hasValue(1);
    assertThat(notes()).isZero();
  }

  @Test
  void the_same_holds_where_jakarta_persistence_is_strict_about_transactions() throws Exception {
    TestUnit strict =
        db.unit(Tag.class).property("hibernate.jpa.compliance.transaction", "true").open();
    Rowlock strictRowlock = Rowlock.of(strict.factory());

    strictRowlock.run(A2SuccessMeansCommittedIT::keepNote);
    assertThat(notes()).isOne();
    assertThatThrownBy(
            () ->
                strictRowlock.run(
                    work ->
                        swallow(
                            () -> work.entityManager().createNativeQuery(CLASH).executeUpdate())))
        .isInstanceOf(SwallowedFailureException.class)
        .hasMessageContaining("tag_pkey");
  }

  private static FailureKind kindOf(Throwable thrown) {
    return io.rowlock.internal.postgres.FailureClassifier.classify(thrown).kind();
  }

  private static void keepNote(UnitOfWork work) {
    work.entityManager().find(Tag.class, 3L).note = "kept";
    work.entityManager().flush();
  }

  private static long notes() throws SQLException {
    return db.number("select count(*) from tag where note = 'kept'");
  }

  private static void doWork(UnitOfWork work, org.hibernate.jdbc.Work jdbc) {
    work.entityManager().unwrap(Session.class).doWork(jdbc);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private interface Failing {
    void run() throws Exception;
  }

  private static void swallow(Failing work) {
    assertThatThrownBy(work::run).isInstanceOf(Exception.class);
  }
}
