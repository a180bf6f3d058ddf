package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.IsolationLevel;
import io.rowlock.MissingRowsException;
import io.rowlock.Rowlock;
import io.rowlock.RowlockListener;
import io.rowlock.SwallowedFailureException;
import io.rowlock.UnitInfo;
import io.rowlock.UnitMisuseException;
import io.rowlock.UnitOfWork;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Status;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.hibernate.exception.ConstraintViolationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promises A1 to A6 and A8 for units whose transactions are those of JTA, without a container. */
class JtaUnitsIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Tag.TABLE,
          "create table late (id bigint, constraint late_key unique (id) deferrable initially deferred)");

  static final TransactionManager transactions =
      com.arjuna.ats.jta.TransactionManager.transactionManager();

  static TestUnit unit;
  static Rowlock rowlock;

  final AtomicInteger attempts = new AtomicInteger();

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class).jta().poolSize(5).open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute("truncate tag, late", "insert into tag values (1, 'a', 10), (2, 'b', 20)");
  }

  @AfterEach
  void no_transaction_is_left_on_the_thread() throws Exception {
    assertThat(transactions.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
  }

  @Test
  void a_unit_begins_and_commits_a_transaction_of_its_own() throws Exception {
    Transaction during =
        rowlock.call(
            work -> {
              work.entityManager().persist(new Tag(3, "c"));
              return transactions.getTransaction();
            });

    assertThat(during.getStatus()).isEqualTo(Status.STATUS_COMMITTED);
    assertThat(db.number("select count(*) from tag")).isEqualTo(3);
  }

  @Test
  void a_unit_that_throws_is_rolled_back_and_its_exception_leaves_as_it_was_thrown()
      throws Exception {
    Exception thrown = new Exception("checked");

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().persist(new Tag(3, "c"));
                      work.entityManager().flush();
                      throw thrown;
                    }))
        .isSameAs(thrown)
        .hasNoSuppressedExceptions();

    assertThat(db.number("select count(*) from tag")).isEqualTo(2);
  }

  @Test
  void a_deadlock_runs_the_unit_again_in_a_new_transaction() throws Exception {
    List<Object> used = new ArrayList<>();

    rowlock.run(
        work -> {
          used.add(transactions.getTransaction());
          used.add(work.entityManager());
          if (attempts.incrementAndGet() == 1) {
            Conflicts.deadlock(db, work.entityManager());
          }
          work.entityManager().find(Tag.class, 1L).n++;
        });

    assertThat(used).hasSize(4).doesNotHaveDuplicates();
    assertThat(db.column("select n from tag order by id")).containsExactly(111, 120);
  }

  @Test
  void write_skew_that_only_the_commit_reports_runs_again() throws Exception {
    rowlock.isolation(IsolationLevel.SERIALIZABLE).run(this::skewFirst);

    assertThat(attempts).hasValue(2);
    assertThat(db.column("select n from tag order by id")).containsExactly(11, 120);
  }

  /** To Narayana its outcome is mixed: another resource might have committed. */
  @Test
  void write_skew_that_only_the_commit_of_XA_reports_keeps_its_state_and_is_not_run_again()
      throws Exception {
    List<String> told = new ArrayList<>();
    Rowlock onXa =
        Rowlock.builder(db.unit(Tag.class).xa().open().factory())
            .listener(
                new RowlockListener() {
                  @Override
                  public void onCommitted(UnitInfo unit, Duration elapsed) {
                    told.add("committed");
                  }

                  @Override
                  public void onGivenUp(UnitInfo unit, Throwable problem, Duration elapsed) {
                    told.add("given up");
                  }
                })
            .build();

    assertThatThrownBy(
            () ->
                onXa.isolation(IsolationLevel.SERIALIZABLE)
                    .run(
                        work -> {
                          work.afterCommit(() -> told.add("after the commit"));
                          skewFirst(work);
                        }))
        .cause()
        .isInstanceOf(SQLException.class)
        .extracting(cause -> ((SQLException) cause).getSQLState())
        .isEqualTo("40001");

    assertThat(attempts).hasValue(1);
    assertThat(told).containsExactly("given up");
    assertThat(db.column("select n from tag order by id")).containsExactly(10, 120);
  }

  private void skewFirst(UnitOfWork work) throws SQLException {
    EntityManager em = work.entityManager();
    em.createNativeQuery("select sum(n) from tag").getSingleResult();
    if (attempts.incrementAndGet() == 1) {
      Rival rival = db.rival();
      rival.execute("set transaction isolation level serializable");
      rival.one("select sum(n) from tag");
      rival.execute("update tag set n = n + 100 where id = 2");
      em.find(Tag.class, 1L).n++;
      em.flush();
      rival.commit();
    } else {
      em.find(Tag.class, 1L).n++;
    }
  }

  @Test
  void a_failure_of_the_last_flush_leaves_without_the_transaction_managers_shape() {
    assertThatThrownBy(() -> rowlock.run(work -> work.entityManager().persist(new Tag(1, "x"))))
        .isInstanceOf(ConstraintViolationException.class)
        .hasMessageContaining("tag_pkey");
  }

  @Test
  void a_deferred_constraint_violated_at_commit_is_named_and_not_run_again() {
    assertNamesDeferredConstraint(rowlock);
  }

  @Test
  void a_deferred_constraint_violated_at_commit_of_XA_is_named_and_not_run_again() {
    assertNamesDeferredConstraint(Rowlock.of(db.unit(Tag.class).xa().open().factory()));
  }

  private void assertNamesDeferredConstraint(Rowlock on) {
    Throwable thrown =
        catchThrowable(
            () ->
                on.run(
                    work -> {
                      attempts.incrementAndGet();
                      work.entityManager()
                          .createNativeQuery("insert into late values (1), (1)")
                          .executeUpdate();
                    }));

    assertThat(thrown)
        .hasMessageContaining("late_key")
        .cause()
        .isInstanceOf(SQLException.class)
        .extracting(cause -> ((SQLException) cause).getSQLState())
        .isEqualTo("23505");
    assertThat(FailureClassifier.classify(thrown))
        .satisfies(
            failure -> {
              assertThat(failure.kind()).isEqualTo(FailureKind.UNIQUE_VIOLATION);
              assertThat(failure.constraint()).isEqualTo("late_key");
            });
    assertThat(attempts).hasValue(1);
  }

  @Test
  void a_swallowed_failure_is_no_success() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().find(Tag.class, 1L).note = "kept";
                      work.entityManager().flush();
                      swallowClash(work);
                    }))
        .isInstanceOf(SwallowedFailureException.class)
        .hasMessageContaining("tag_pkey");

    assertThat(db.number("select count(*) from tag where note = 'kept'")).isZero();
  }

  @Test
  void a_unit_in_a_transaction_begun_elsewhere_joins_it_and_leaves_its_end_to_others()
      throws Exception {
    transactions.begin();
    Transaction outer = transactions.getTransaction();
    try {
      rowlock.run(
          work -> {
            assertThat(transactions.getTransaction()).isEqualTo(outer);
            work.entityManager().persist(new Tag(3, "c"));
          });
      assertThat(outer.getStatus()).isEqualTo(Status.STATUS_ACTIVE);
      assertThat(db.number("select count(*) from tag")).isEqualTo(2);
      rowlock.run(work -> work.entityManager().find(Tag.class, 3L).n = 30);
    } finally {
      transactions.commit();
    }
    assertThat(db.number("select n from tag where id = 3")).isEqualTo(30);
  }

  @Test
  void a_unit_in_a_transaction_begun_elsewhere_is_never_run_again_and_dooms_it() throws Exception {
    transactions.begin();
    try {
      Throwable thrown =
          catchThrowable(
              () ->
                  rowlock.run(
                      work -> {
                        attempts.incrementAndGet();
                        Conflicts.raise(work.entityManager(), "40001");
                      }));
      assertThat(FailureClassifier.classify(thrown).kind())
          .isEqualTo(FailureKind.SERIALIZATION_FAILURE);
      assertThat(transactions.getStatus()).isEqualTo(Status.STATUS_MARKED_ROLLBACK);
    } finally {
      transactions.rollback();
    }
    assertThat(attempts).hasValue(1);
  }

  @Test
  void a_failure_swallowed_in_a_transaction_begun_elsewhere_is_told_and_dooms_it()
      throws Exception {
    transactions.begin();
    try {
      assertThatThrownBy(() -> rowlock.run(JtaUnitsIT::swallowClash))
          .isInstanceOf(SwallowedFailureException.class);
      assertThat(transactions.getStatus()).isEqualTo(Status.STATUS_MARKED_ROLLBACK);
    } finally {
      transactions.rollback();
    }
  }

  @Test
  void a_unit_that_does_nothing_in_a_transaction_begun_elsewhere_does_no_harm() throws Exception {
    transactions.begin();
    rowlock.run(work -> {});
    transactions.commit();
  }

  @Test
  void another_isolation_level_than_that_of_the_joined_transaction_is_refused() throws Exception {
    transactions.begin();
    try {
      rowlock.isolation(IsolationLevel.READ_COMMITTED).run(work -> {});
      assertThatThrownBy(
              () -> rowlock.isolation(IsolationLevel.SERIALIZABLE).run(work -> work.info()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("SERIALIZABLE")
          .hasMessageContaining("READ COMMITTED");
    } finally {
      transactions.rollback();
    }
  }

  @Test
  void nested_units_join_the_outermost_one_which_runs_again() throws Exception {
    AtomicInteger inner = new AtomicInteger();

    rowlock.run(
        work -> {
          attempts.incrementAndGet();
          rowlock.run(
              joined -> {
                assertThat(joined.entityManager()).isSameAs(work.entityManager());
                if (inner.incrementAndGet() == 1) {
                  Conflicts.raise(joined.entityManager(), "40P01");
                }
              });
        });

    assertThat(attempts).hasValue(2);
    assertThat(inner).hasValue(2);
  }

  @Test
  void a_unit_started_while_the_outer_transaction_is_suspended_is_a_unit_of_its_own()
      throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().find(Tag.class, 1L).n++;
                      Transaction outer = transactions.suspend();
                      rowlock.run(own -> own.entityManager().find(Tag.class, 2L).n++);
                      transactions.resume(outer);
                      throw new Exception("the outer one only");
                    }))
        .hasMessage("the outer one only");

    assertThat(db.column("select n from tag order by id")).containsExactly(10, 21);
  }

  @Test
  void a_commit_by_the_function_is_prevented() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().persist(new Tag(3, "c"));
                      transactions.commit();
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("prevented");
    assertThat(db.number("select count(*) from tag")).isEqualTo(2);
  }

  @Test
  void a_rollback_by_the_function_is_told_so() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().persist(new Tag(3, "c"));
                      transactions.rollback();
                    }))
        .isInstanceOf(UnitMisuseException.class);
    assertThat(db.number("select count(*) from tag")).isEqualTo(2);
  }

  @Test
  void a_transaction_that_the_function_leaves_on_its_thread_is_told_and_both_are_rolled_back()
      throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().find(Tag.class, 1L).n++;
                      work.entityManager().flush();
                      transactions.suspend();
                      transactions.begin();
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("left another one on its thread");
    assertThat(unit.pool().getMetrics().activeCount()).isZero();
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(10);
  }

  @Test
  void a_transaction_that_the_function_suspends_and_leaves_is_told_and_rolled_back()
      throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().find(Tag.class, 1L).n++;
                      work.entityManager().flush();
                      transactions.suspend();
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("left another one on its thread");
    assertThat(unit.pool().getMetrics().activeCount()).isZero();
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(10);
  }

  @Test
  void a_missing_row_that_the_function_handles_does_not_poison_the_transaction() throws Exception {
    rowlock.run(
        work -> {
          work.entityManager().find(Tag.class, 1L).n++;
          assertThatThrownBy(() -> work.lock(Tag.class, List.of(1L, 99L)))
              .isInstanceOf(MissingRowsException.class);
        });
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(11);
  }

  @Test
  void an_instance_of_a_failed_attempt_is_named() {
    Tag tag = new Tag(3, "c");

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().persist(tag);
                      work.entityManager().flush();
                      if (attempts.incrementAndGet() == 1) {
                        Conflicts.raise(work.entityManager(), "40001");
                      }
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("given to persist");
  }

  @Test
  void the_operations_work_on_an_entity_manager_of_somebody_elses_transaction() throws Exception {
    transactions.begin();
    try (EntityManager em = unit.factory().createEntityManager()) {
      Tag tag = rowlock.on(em).<Long, Tag>lock(Tag.class, List.of(1L)).get(1L);
      tag.n++;
    } finally {
      transactions.commit();
    }
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(11);
  }

  @Test
  void the_operations_refuse_an_entity_manager_that_has_not_joined() {
    try (EntityManager em = unit.factory().createEntityManager()) {
      assertThatThrownBy(() -> rowlock.on(em))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no active transaction");
    }
  }

  private static void swallowClash(UnitOfWork work) {
    assertThatThrownBy(
            () ->
                work.entityManager()
                    .createNativeQuery("insert into tag values (1, 'clash')")
                    .executeUpdate())
        .isInstanceOf(RuntimeException.class);
  }
}
