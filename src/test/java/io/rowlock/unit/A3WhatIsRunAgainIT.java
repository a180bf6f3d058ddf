package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.UnitOptions;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import jakarta.persistence.OptimisticLockException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.hibernate.exception.ConstraintViolationException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promise A3: what PostgreSQL aborts for the sake of another transaction is run again; nothing
 * else.
 */
class A3WhatIsRunAgainIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Tag.TABLE,
          VTag.TABLE,
          "create table late (id bigint, constraint late_key unique (id) deferrable initially deferred)");

  static Rowlock rowlock;
  static UnitOptions batching;

  final AtomicInteger attempts = new AtomicInteger();

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Tag.class, VTag.class).open().factory());
    TestUnit batches =
        db.unit(Tag.class, VTag.class).property("hibernate.jdbc.batch_size", "20").open();
    batching = Rowlock.of(batches.factory());
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "truncate tag, vtag, late",
        "insert into tag values (1, 'a', 10), (2, 'b', 20), (3, 'c', 30)",
        "insert into vtag values (1, 'a', 0, 0)");
  }

  @Test
  void a_unit_that_loses_a_deadlock_to_an_outside_writer_runs_again_from_its_first_line()
      throws Exception {
    List<Integer> seen = new ArrayList<>();

    rowlock.run(
        work -> {
          EntityManager em = work.entityManager();
          seen.add(em.find(Tag.class, 1L).n);
          if (attempts.incrementAndGet() == 1) {
            Conflicts.deadlock(db, em);
          }
          raise(em, 1L);
          raise(em, 2L);
        });

    assertThat(seen)
        .as("the second attempt reads what the rival has committed")
        .containsExactly(10, 110);
    assertThat(db.column("select n from tag order by id")).containsExactly(111, 121, 30);
  }

  @Test
  void a_serialization_failure_of_a_statement_runs_again() throws Exception {
    rowlock
        .isolation(IsolationLevel.REPEATABLE_READ)
        .run(
            work -> {
              EntityManager em = work.entityManager();
              em.find(Tag.class, 1L);
              rivalFirst("update tag set n = n + 100 where id = 1");
              em.createNativeQuery("update tag set n = n + 1 where id = 1").executeUpdate();
            });

    assertThat(attempts).hasValue(2);
    assertThat(n(1)).isEqualTo(111);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_serialization_failure_of_the_flush_runs_again_in_batches_too(boolean inBatches)
      throws Exception {
    (inBatches ? batching : rowlock)
        .isolation(IsolationLevel.REPEATABLE_READ)
        .run(
            work -> {
              EntityManager em = work.entityManager();
              Tag one = em.find(Tag.class, 1L);
              Tag two = em.find(Tag.class, 2L);
              rivalFirst("update tag set n = n + 100 where id in (1, 2)");
              one.n++;
              two.n++;
              em.flush();
            });

    assertThat(attempts).hasValue(2);
    assertThat(db.column("select n from tag order by id")).containsExactly(111, 121, 30);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_serialization_failure_of_the_flush_within_commit_runs_again(boolean inBatches)
      throws Exception {
    (inBatches ? batching : rowlock)
        .isolation(IsolationLevel.REPEATABLE_READ)
        .run(
            work -> {
              Tag one = work.entityManager().find(Tag.class, 1L);
              rivalFirst("update tag set n = n + 100 where id = 1");
              one.n++;
            });

    assertThat(attempts).hasValue(2);
    assertThat(n(1)).isEqualTo(111);
  }

  @Test
  void write_skew_that_only_the_commit_reports_runs_again() throws Exception {
    List<Long> sums = new ArrayList<>();

    rowlock
        .isolation(IsolationLevel.SERIALIZABLE)
        .run(
            work -> {
              EntityManager em = work.entityManager();
              sums.add(sum(em));
              if (attempts.incrementAndGet() == 1) {
                Rival rival = db.rival();
                rival.execute("set transaction isolation level serializable");
                rival.one("select sum(n) from tag");
                rival.execute("update tag set n = n + 100 where id = 2");
                em.find(Tag.class, 1L).n++;
                em.flush();
                // from here on only the order of the commits decides: this unit comes second
                rival.commit();
              } else {
                em.find(Tag.class, 1L).n++;
              }
            });

    assertThat(sums).containsExactly(60L, 160L);
    assertThat(db.column("select n from tag order by id")).containsExactly(11, 120, 30);
  }

  @Test
  void a_deferred_constraint_violated_at_commit_is_not_run_again_and_is_named() {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      insertTwice(work);
                    }))
        .rootCause()
        .hasMessageContaining("late_key");
    assertThat(attempts).hasValue(1);
  }

  @Test
  void the_violation_of_a_named_constraint_is_run_again_when_asked_for_even_at_commit()
      throws Exception {
    rowlock
        .retrying(policy -> policy.alsoAfterViolationOf("late_key"))
        .run(
            work -> {
              if (attempts.incrementAndGet() == 1) {
                insertTwice(work);
              }
            });

    assertThat(attempts).hasValue(2);
  }

  @Test
  void a_unique_violation_is_not_run_again_unless_that_very_constraint_was_named() {
    assertThatThrownBy(
            () ->
                rowlock
                    .retrying(policy -> policy.alsoAfterViolationOf("tag_slug_key"))
                    .run(
                        work -> {
                          attempts.incrementAndGet();
                          work.entityManager()
                              .createNativeQuery("insert into tag values (1, 'fresh')")
                              .executeUpdate();
                        }))
        .isInstanceOf(ConstraintViolationException.class)
        .hasMessageContaining("tag_pkey");
    assertThat(attempts).hasValue(1);
  }

  @Test
  void a_violation_of_a_named_constraint_is_run_again() throws Exception {
    rowlock
        .retrying(policy -> policy.alsoAfterViolationOf("tag_slug_key"))
        .run(
            work -> {
              String slug = attempts.incrementAndGet() == 1 ? "a" : "fresh";
              work.entityManager().persist(new Tag(4, slug));
            });

    assertThat(db.one("select slug from tag where id = 4")).isEqualTo("fresh");
  }

  @Test
  void an_optimistic_lock_failure_is_not_run_again_unless_asked_for() throws Exception {
    assertThatThrownBy(() -> rowlock.run(this::loseOptimistically))
        .isInstanceOf(jakarta.persistence.PersistenceException.class)
        .satisfiesAnyOf(
            thrown -> assertThat(thrown).isInstanceOf(OptimisticLockException.class),
            thrown -> assertThat(thrown).hasCauseInstanceOf(OptimisticLockException.class));
    assertThat(attempts).hasValue(1);

    attempts.set(0);
    rowlock
        .retrying(policy -> policy.alsoAfter(FailureKind.OPTIMISTIC_LOCK))
        .run(this::loseOptimistically);

    assertThat(attempts).hasValue(2);
    assertThat(db.number("select n from vtag")).isEqualTo(201);
  }

  @Test
  void a_lock_that_is_not_to_be_had_is_not_run_again_unless_asked_for() throws Exception {
    Rival rival = db.rival();
    rival.execute("select from tag where id = 1 for update");

    assertThatThrownBy(() -> rowlock.run(work -> lockNoWait(work)))
        .isInstanceOf(jakarta.persistence.PersistenceException.class);
    assertThat(attempts).hasValue(1);

    attempts.set(0);
    rowlock
        .retrying(policy -> policy.alsoAfter(FailureKind.LOCK_NOT_AVAILABLE))
        .run(
            work -> {
              if (attempts.get() == 1) {
                rival.commit();
              }
              lockNoWait(work);
            });
    assertThat(attempts).hasValue(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"22001", "23503", "25006", "42601", "57014", "P0001", "21000", "53200"})
  void everything_else_leaves_at_once_as_it_was_thrown(String state) {
    List<Throwable> thrown = new ArrayList<>();

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      try {
                        Conflicts.raise(work.entityManager(), state);
                      } catch (RuntimeException e) {
                        thrown.add(e);
                        throw e;
                      }
                    }))
        .satisfies(left -> assertThat(left).isSameAs(thrown.get(0)))
        .hasNoSuppressedExceptions();
    assertThat(attempts).hasValue(1);
  }

  @Test
  void a_write_in_a_read_only_transaction_fails_once_and_says_so() {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      EntityManager em = work.entityManager();
                      em.createNativeQuery("set transaction read only").executeUpdate();
                      work.lock(Tag.class, List.of(1L));
                    }))
        .rootCause()
        .isInstanceOf(SQLException.class)
        .extracting(e -> ((SQLException) e).getSQLState())
        .isEqualTo("25006");
    assertThat(attempts).hasValue(1);
  }

  @Test
  void a_connection_killed_for_idling_in_the_transaction_fails_once_and_says_so() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      EntityManager em = work.entityManager();
                      em.createNativeQuery("update tag set n = 0 where id = 1").executeUpdate();
                      int pid = Conflicts.pid(em);
                      em.createNativeQuery("set local idle_in_transaction_session_timeout = '50ms'")
                          .executeUpdate();
                      io.rowlock.testing.Await.until(
                          "the idle backend is gone",
                          () ->
                              db.number("select count(*) from pg_stat_activity where pid = ?", pid)
                                  == 0);
                      em.createNativeQuery("update tag set n = 0 where id = 2").executeUpdate();
                    }))
        .rootCause()
        .isInstanceOf(SQLException.class)
        .extracting(e -> ((SQLException) e).getSQLState())
        .isEqualTo("25P03");
    assertThat(attempts).hasValue(1);
    assertThat(db.column("select n from tag order by id")).containsExactly(10, 20, 30);
  }

  @ParameterizedTest
  @EnumSource(names = {"SERIALIZATION_FAILURE", "DEADLOCK"})
  void the_failure_counts_wherever_it_is_hidden(FailureKind kind) throws Exception {
    String state = kind == FailureKind.DEADLOCK ? "40P01" : "40001";

    rowlock.run(
        work -> {
          if (attempts.incrementAndGet() == 1) {
            try {
              Conflicts.raise(work.entityManager(), state);
            } catch (RuntimeException e) {
              Exception other = new Exception("the application's own words");
              other.addSuppressed(new IllegalStateException(e));
              throw other;
            }
          }
        });

    assertThat(attempts).hasValue(2);
  }

  private void loseOptimistically(UnitOfWork work) throws SQLException {
    VTag tag = work.entityManager().find(VTag.class, 1L);
    rivalFirst("update vtag set n = n + 100, ver = ver + 1");
    tag.n++;
  }

  private void lockNoWait(UnitOfWork work) {
    attempts.incrementAndGet();
    work.entityManager()
        .find(
            Tag.class,
            1L,
            LockModeType.PESSIMISTIC_WRITE,
            java.util.Map.of("jakarta.persistence.lock.timeout", 0));
  }

  /** On the first attempt only. */
  private void rivalFirst(String sql) throws SQLException {
    if (attempts.incrementAndGet() == 1) {
      db.execute(sql);
    }
  }

  private static void raise(EntityManager em, long id) {
    em.createNativeQuery("update tag set n = n + 1 where id = ?")
        .setParameter(1, id)
        .executeUpdate();
  }

  private static void insertTwice(UnitOfWork work) {
    work.entityManager().createNativeQuery("insert into late values (1), (1)").executeUpdate();
  }

  private static long sum(EntityManager em) {
    return ((Number) em.createNativeQuery("select sum(n) from tag").getSingleResult()).longValue();
  }

  private static long n(long id) throws SQLException {
    return db.number("select n from tag where id = ?", id);
  }
}
