package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.LockNotAvailableException;
import io.rowlock.RetriesExhaustedException;
import io.rowlock.Rowlock;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.UnitInterruptedException;
import io.rowlock.lock.Locking;
import io.rowlock.retry.Backoff;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Promise A4: a unit is bounded in attempts and in time, and holds nothing while it waits. */
class A4BoundedIT {

  private static final String TIMEOUTS =
      "select current_setting('lock_timeout') || ' ' || current_setting('statement_timeout')";

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  static TestUnit unit;
  static Rowlock rowlock;

  final AtomicInteger attempts = new AtomicInteger();

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class).open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void two_rows() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a'), (2, 'b')");
  }

  @Test
  void no_connection_is_held_between_two_attempts() {
    List<Long> inUse = new ArrayList<>();
    Rowlock watched =
        Rowlock.builder(unit.factory())
            .listener(
                new RowlockListener() {
                  @Override
                  public void beforeRerun(UnitInfo info, Duration pause) {
                    inUse.add(unit.pool().getMetrics().activeCount());
                  }
                })
            .build();

    watched.run(
        work -> {
          if (attempts.incrementAndGet() < 3) {
            Conflicts.raise(work.entityManager(), "40001");
          }
        });

    assertThat(inUse).containsExactly(0L, 0L);
  }

  @Test
  void a_pool_of_one_connection_is_enough_for_any_number_of_reruns() throws Exception {
    TestUnit small = db.unit(Tag.class).poolSize(1).open();
    Rowlock onOne = Rowlock.of(small.factory());

    for (int i = 0; i < 100; i++) {
      attempts.set(0);
      onOne
          .retrying(policy -> policy.withBackoff(Backoff.none()))
          .run(
              work -> {
                if (attempts.incrementAndGet() < 3) {
                  Conflicts.raise(work.entityManager(), "40P01");
                }
                work.entityManager()
                    .createNativeQuery("update tag set n = n + 1 where id = 1")
                    .executeUpdate();
              });
      assertThat(small.pool().getMetrics().activeCount()).isZero();
    }

    assertThat(db.number("select n from tag where id = 1")).isEqualTo(100);
  }

  @Test
  void interruption_during_the_pause_ends_the_unit_and_keeps_the_flag() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    Rowlock watched =
        Rowlock.builder(unit.factory())
            .listener(
                new RowlockListener() {
                  @Override
                  public void beforeRerun(UnitInfo info, Duration pause) {
                    waiting.countDown();
                  }
                })
            .build();
    Thread[] runner = new Thread[1];
    Future<Boolean> flag =
        Together.start(
            () -> {
              runner[0] = Thread.currentThread();
              assertThatThrownBy(
                      () ->
                          watched
                              .deadline(Duration.ofDays(1))
                              .retrying(
                                  policy ->
                                      policy.withBackoff(
                                          new Backoff(Duration.ofHours(9), Duration.ofHours(9))))
                              .run(
                                  work -> {
                                    attempts.incrementAndGet();
                                    Conflicts.raise(work.entityManager(), "40001");
                                  }))
                  .isInstanceOf(UnitInterruptedException.class)
                  .hasMessageContaining("'unit' on attempt 1 of 50")
                  .rootCause()
                  .hasMessageContaining("made to fail");
              return Thread.interrupted();
            });

    waiting.await();
    runner[0].interrupt();

    assertThat(Together.get(flag)).isTrue();
    assertThat(attempts).hasValue(1);
    assertThat(unit.pool().getMetrics().activeCount()).isZero();
  }

  @Test
  void a_thread_that_is_interrupted_already_does_not_even_begin_to_wait() {
    try {
      assertThatThrownBy(
              () ->
                  rowlock
                      .retrying(policy -> policy.withBackoff(Backoff.none()))
                      .run(
                          work -> {
                            attempts.incrementAndGet();
                            Thread.currentThread().interrupt();
                            Conflicts.raise(work.entityManager(), "40001");
                          }))
          .isInstanceOf(UnitInterruptedException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(attempts).hasValue(1);
  }

  @Test
  void a_unit_that_succeeds_on_an_interrupted_thread_commits_and_keeps_the_flag() throws Exception {
    try {
      rowlock.run(
          work -> {
            Thread.currentThread().interrupt();
            work.entityManager().persist(new Tag(3, "c"));
          });
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(db.number("select count(*) from tag")).isEqualTo(3);
  }

  @Test
  void the_deadline_ends_a_wait_for_a_lock() throws Exception {
    Rival rival = db.rival();
    rival.execute("select from tag where id = 1 for update");
    long start = System.nanoTime();

    assertThatThrownBy(
            () ->
                rowlock
                    .deadline(Duration.ofMillis(300))
                    .run(
                        work -> {
                          attempts.incrementAndGet();
                          work.lock(Tag.class, List.of(1L));
                        }))
        .isInstanceOf(RetriesExhaustedException.class)
        .hasMessageContaining("its deadline of PT0.3S has passed")
        .rootCause()
        .isInstanceOf(SQLException.class)
        .extracting(e -> ((SQLException) e).getSQLState())
        .isEqualTo("55P03");

    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(300), Duration.ofSeconds(10));
    assertThat(attempts).hasValue(1);
  }

  @Test
  void the_deadline_ends_a_statement_that_takes_too_long() {
    assertThatThrownBy(
            () ->
                rowlock
                    .deadline(Duration.ofMillis(300))
                    .run(
                        work ->
                            work.entityManager()
                                .createNativeQuery("select 1 from pg_sleep(30)")
                                .getResultList()))
        .isInstanceOf(RetriesExhaustedException.class)
        .hasMessageContaining("its deadline of PT0.3S has passed")
        .rootCause()
        .isInstanceOf(SQLException.class)
        .extracting(e -> ((SQLException) e).getSQLState())
        .isEqualTo("57014");
  }

  @Test
  void a_timeout_that_the_caller_had_asked_for_is_told_as_that() throws Exception {
    Rival rival = db.rival();
    rival.execute("select from tag where id = 1 for update");

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      work.lock(
                          Tag.class,
                          List.of(1L),
                          Locking.defaults().waitAtMost(Duration.ofMillis(100)));
                    }))
        .isInstanceOf(LockNotAvailableException.class);
    assertThat(attempts).hasValue(1);
  }

  @Test
  void each_attempt_is_bounded_by_what_is_left_of_the_deadline() {
    List<Integer> milliseconds = new ArrayList<>();

    rowlock
        .deadline(Duration.ofMillis(40_000))
        .run(
            work -> {
              EntityManager em = work.entityManager();
              milliseconds.add(setting(em, "lock_timeout"));
              assertThat(setting(em, "statement_timeout"))
                  .isEqualTo(milliseconds.get(milliseconds.size() - 1) + 200);
              if (attempts.incrementAndGet() == 1) {
                em.createNativeQuery("select 1 from pg_sleep(0.05)").getResultList();
                Conflicts.raise(em, "40001");
              }
            });

    assertThat(milliseconds.get(0)).isBetween(20_000, 40_000);
    assertThat(milliseconds.get(1)).isBetween(20_000, milliseconds.get(0) - 50);
  }

  @ParameterizedTest
  @CsvSource({
    // what the role or server has set, in milliseconds; 0 is no bound
    "0, 0, true, true",
    "60000, 60000, true, true",
    "1000, 60000, false, true",
    "60000, 1000, true, false",
    "1000, 1000, false, false",
    "90061001, 0, true, true"
  })
  void timeouts_are_lowered_and_never_raised(
      int lock, int statement, boolean lockLowered, boolean statementLowered) {
    TestUnit configured =
        db.unit(Tag.class)
            .urlParameter(
                "options", "-c%20lock_timeout=" + lock + "%20-c%20statement_timeout=" + statement)
            .open();

    Rowlock.of(configured.factory())
        .deadline(Duration.ofMillis(30_000))
        .run(
            work -> {
              int lockNow = setting(work.entityManager(), "lock_timeout");
              int statementNow = setting(work.entityManager(), "statement_timeout");
              if (lockLowered) {
                assertThat(lockNow).isBetween(10_000, 30_000);
              } else {
                assertThat(lockNow).isEqualTo(lock);
              }
              if (statementLowered) {
                assertThat(statementNow).isBetween(10_000, 30_200);
              } else {
                assertThat(statementNow).isEqualTo(statement);
              }
            });
  }

  @Test
  void without_a_deadline_the_timeouts_are_those_of_the_server() {
    rowlock
        .retrying(policy -> policy.withoutDeadline())
        .run(
            work ->
                assertThat(work.entityManager().createNativeQuery(TIMEOUTS).getSingleResult())
                    .isEqualTo("0 0"));
  }

  @Test
  void sixteen_threads_that_change_one_row_under_serializable_all_succeed_with_the_defaults()
      throws Exception {
    Together.run(
        16,
        number -> {
          for (int i = 0; i < 50; i++) {
            rowlock
                .isolation(io.rowlock.IsolationLevel.SERIALIZABLE)
                .run(work -> work.entityManager().find(Tag.class, 1L).n++);
          }
          return null;
        });

    assertThat(db.number("select n from tag where id = 1")).isEqualTo(800);
  }

  private static int setting(EntityManager em, String name) {
    return ((Number)
            em.createNativeQuery("select setting::int from pg_settings where name = '" + name + "'")
                .getSingleResult())
        .intValue();
  }
}
