package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.AfterCommitException;
import io.rowlock.CommitOutcomeUnknownException;
import io.rowlock.CommitTracking;
import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TcpProxy;
import io.rowlock.testing.TcpProxy.Fault;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
import jakarta.transaction.TransactionManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promise A10: work put off until after the commit belongs to the attempt that committed. It runs
 * once, after COMMIT, outside the retry, and is dropped with a failed attempt.
 */
class A10AfterCommitIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  static final TcpProxy proxy = TcpProxy.open();
  static final TransactionManager transactions =
      com.arjuna.ats.jta.TransactionManager.transactionManager();
  static TestUnit local;
  static TestUnit global;

  final AtomicInteger attempts = new AtomicInteger();
  final List<String> done = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void open() {
    local = db.unit(Tag.class).through(proxy).poolSize(3).open();
    global = db.unit(Tag.class).jta().through(proxy).poolSize(3).open();
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a')");
  }

  @AfterEach
  void calm() {
    proxy.calm();
  }

  @AfterAll
  static void close() {
    proxy.close();
  }

  private static Rowlock rowlock(boolean jta) {
    return Rowlock.of((jta ? global : local).factory());
  }

  private int raise(UnitOfWork work) {
    attempts.incrementAndGet();
    return ++work.entityManager().find(Tag.class, 1L).n;
  }

  private static long n() throws SQLException {
    return db.number("select n from tag where id = 1");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void it_runs_in_order_on_the_units_thread_once_the_connection_is_back(boolean jta) {
    AtomicReference<Thread> thread = new AtomicReference<>();

    rowlock(jta)
        .run(
            work -> {
              work.afterCommit(
                  () -> {
                    thread.set(Thread.currentThread());
                    done.add("first sees " + stored() + " with " + inUse(jta) + " in use");
                  });
              work.afterCommit(() -> done.add("second"));
              raise(work);
              assertThat(done).isEmpty();
            });

    assertThat(done).containsExactly("first sees 1 with 0 in use", "second");
    assertThat(thread).hasValue(Thread.currentThread());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void what_a_failed_attempt_had_put_off_is_dropped(boolean jta) {
    rowlock(jta)
        .run(
            work -> {
              int attempt = attempts.incrementAndGet();
              work.afterCommit(() -> done.add("of attempt " + attempt));
              if (attempt < 3) {
                Conflicts.raise(work.entityManager(), "40001");
              }
            });

    assertThat(done).containsExactly("of attempt 3");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_unit_that_is_rolled_back_does_nothing_of_it(boolean jta) {
    Exception own = new Exception("the function's own");

    assertThatThrownBy(
            () ->
                rowlock(jta)
                    .run(
                        work -> {
                          work.afterCommit(() -> done.add("never"));
                          throw own;
                        }))
        .isSameAs(own);

    assertThat(done).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_commit_that_was_not_answered_and_is_known_to_have_succeeded_runs_it_once(boolean jta)
      throws Exception {
    proxy.atCommit(Fault.CUT_ANSWERED);

    rowlock(jta)
        .run(
            work -> {
              work.afterCommit(() -> done.add("once"));
              raise(work);
            });

    assertThat(done).containsExactly("once");
    assertThat(attempts).hasValue(1);
    assertThat(n()).isEqualTo(1);
  }

  @Test
  void an_unknown_outcome_does_nothing_of_it() {
    proxy.atCommit(Fault.CUT_ANSWERED);

    assertThatThrownBy(
            () ->
                Rowlock.builder(local.factory())
                    .commitTracking(CommitTracking.NONE)
                    .build()
                    .run(
                        work -> {
                          work.afterCommit(() -> done.add("never"));
                          raise(work);
                        }))
        .isInstanceOf(CommitOutcomeUnknownException.class);

    assertThat(done).isEmpty();
  }

  /** A failure that would have the unit run again, had it come before the commit. */
  @Test
  void if_it_fails_the_rest_runs_and_the_unit_says_that_it_has_committed() throws Exception {
    RuntimeException first = new RuntimeException(new SQLException("mail", "40001"));
    RuntimeException second = new RuntimeException("message");

    AfterCommitException failed =
        catchThrowableOfType(
            AfterCommitException.class,
            () ->
                rowlock(false)
                    .call(
                        work -> {
                          work.afterCommit(() -> fail(first));
                          work.afterCommit(() -> fail(second));
                          work.afterCommit(() -> done.add("third"));
                          return raise(work);
                        }));

    assertThat(failed)
        .hasMessageContaining("'unit' on attempt 1 of 50 has committed")
        .hasCause(first);
    assertThat(failed.result()).isEqualTo(1);
    assertThat(failed.unit().attempt()).isEqualTo(1);
    assertThat(first).hasSuppressedException(second);
    assertThat(done).containsExactly("third");
    assertThat(attempts).hasValue(1);
    assertThat(n()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void that_of_a_unit_that_has_joined_waits_for_the_outermost_one(boolean jta) {
    Rowlock rowlock = rowlock(jta);

    rowlock.run(
        work -> {
          attempts.incrementAndGet();
          rowlock.run(joined -> joined.afterCommit(() -> done.add("of attempt " + attempts)));
          rowlock.on(work.entityManager()).afterCommit(() -> done.add("on"));
          assertThat(done).isEmpty();
          if (attempts.get() == 1) {
            Conflicts.raise(work.entityManager(), "40P01");
          }
        });

    assertThat(done).containsExactly("of attempt 2", "on");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_unit_that_it_starts_is_one_of_its_own(boolean jta) throws Exception {
    Rowlock rowlock = rowlock(jta);

    rowlock.run(
        work -> {
          raise(work);
          work.afterCommit(() -> rowlock.run(this::raise));
          work.afterCommit(
              () ->
                  assertThatThrownBy(work::entityManager)
                      .isInstanceOf(IllegalStateException.class)
                      .hasMessageContaining("is over"));
        });

    assertThat(n()).isEqualTo(2);
  }

  @Test
  void in_a_transaction_begun_elsewhere_it_waits_for_that_one() {
    try (EntityManager em = local.factory().createEntityManager()) {
      em.getTransaction().begin();
      rowlock(false).on(em).afterCommit(() -> done.add("committed"));
      rowlock(false).on(em).afterCommit(() -> fail(new RuntimeException("logged")));
      assertThat(done).isEmpty();
      assertThatCode(() -> em.getTransaction().commit()).doesNotThrowAnyException();
      assertThat(done).containsExactly("committed");

      em.getTransaction().begin();
      rowlock(false).on(em).afterCommit(() -> done.add("never"));
      em.getTransaction().rollback();
      em.getTransaction().begin();
      em.getTransaction().commit();
    }
    assertThat(done).containsExactly("committed");
  }

  @Test
  void the_same_holds_in_a_transaction_of_jta() throws Exception {
    Rowlock rowlock = rowlock(true);
    transactions.begin();
    rowlock.run(work -> work.afterCommit(() -> done.add("of a unit that joined")));
    try (EntityManager em = global.factory().createEntityManager()) {
      rowlock.on(em).afterCommit(() -> done.add("on"));
      rowlock.on(em).afterCommit(() -> fail(new RuntimeException("logged")));
    }
    assertThat(done).isEmpty();
    transactions.commit();
    assertThat(done).containsExactlyInAnyOrder("of a unit that joined", "on");

    transactions.begin();
    rowlock.run(work -> work.afterCommit(() -> done.add("never")));
    transactions.rollback();
    assertThat(done).hasSize(2);
  }

  private static void fail(RuntimeException failure) {
    throw failure;
  }

  private static long stored() {
    try {
      return n();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long inUse(boolean jta) {
    return (jta ? global : local).pool().getMetrics().activeCount();
  }
}
