package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.AfterCommitException;
import io.rowlock.CommitOutcome;
import io.rowlock.CommitOutcomeUnknownException;
import io.rowlock.RetriesExhaustedException;
import io.rowlock.Rowlock;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TcpProxy;
import io.rowlock.testing.TcpProxy.Fault;
import io.rowlock.testing.TestUnit;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise D4: everything that happens to a unit can be seen by its listener, in order. */
class D4EventsIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  static final TcpProxy proxy = TcpProxy.open();
  static TestUnit unit;

  final AtomicInteger attempts = new AtomicInteger();
  final Events events = new Events();
  Rowlock rowlock;

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class).through(proxy).poolSize(3).open();
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a'), (2, 'b')");
    rowlock = Rowlock.builder(unit.factory()).listener(events).build();
  }

  @AfterEach
  void calm() {
    proxy.calm();
    proxy.admit();
  }

  @AfterAll
  static void close() {
    proxy.close();
  }

  @Test
  void of_a_unit_that_is_run_again() throws Exception {
    rowlock.run(
        work -> {
          if (attempts.incrementAndGet() == 1) {
            Conflicts.deadlock(db, work.entityManager());
          }
          if (attempts.get() == 2) {
            Conflicts.raise(work.entityManager(), "40001");
          }
        });

    assertThat(events.log())
        .containsExactly(
            "attempt 1",
            "failed 1 DEADLOCK PessimisticLockException",
            "rerun 1",
            "attempt 2",
            "failed 2 SERIALIZATION_FAILURE PessimisticLockException",
            "rerun 2",
            "attempt 3",
            "commit 3",
            "committed 3");
  }

  @Test
  void of_a_unit_that_gives_up() {
    assertThatThrownBy(
            () ->
                rowlock.maxAttempts(2).run(work -> Conflicts.raise(work.entityManager(), "40001")))
        .isInstanceOf(RetriesExhaustedException.class);

    assertThat(events.log())
        .containsExactly(
            "attempt 1",
            "failed 1 SERIALIZATION_FAILURE PessimisticLockException",
            "rerun 1",
            "attempt 2",
            "failed 2 SERIALIZATION_FAILURE PessimisticLockException",
            "given up 2 RetriesExhaustedException");
  }

  @Test
  void of_a_unit_whose_outcome_was_asked_for_and_run_again() throws Exception {
    proxy.atCommit(Fault.CUT_BEFORE);

    rowlock.run(work -> work.entityManager().find(Tag.class, 1L).n++);

    assertThat(events.log())
        .containsExactly(
            "attempt 1",
            "commit 1",
            "unanswered 1",
            "ROLLED_BACK 1",
            "failed 1 CONNECTION_LOST RollbackException",
            "rerun 1",
            "attempt 2",
            "commit 2",
            "committed 2");
  }

  @Test
  void of_a_unit_whose_outcome_was_asked_for_and_committed_and_whose_put_off_work_fails() {
    proxy.atCommit(Fault.CUT_ANSWERED);

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().find(Tag.class, 1L).n++;
                      work.afterCommit(
                          () -> {
                            throw new IllegalStateException("mail");
                          });
                    }))
        .isInstanceOf(AfterCommitException.class);

    assertThat(events.log())
        .containsExactly(
            "attempt 1",
            "commit 1",
            "unanswered 1",
            "COMMITTED 1",
            "committed 1",
            "after commit 1 IllegalStateException");
  }

  @Test
  void of_a_unit_whose_outcome_stays_unknown() {
    proxy.atCommit(Fault.CUT_ANSWERED);

    assertThatThrownBy(
            () ->
                rowlock
                    .commitCheck((info, em) -> CommitOutcome.UNKNOWN)
                    .run(work -> work.entityManager().find(Tag.class, 1L).n++))
        .isInstanceOf(CommitOutcomeUnknownException.class);

    assertThat(events.log())
        .containsExactly(
            "attempt 1",
            "commit 1",
            "unanswered 1",
            "UNKNOWN 1",
            "failed 1 CONNECTION_LOST CommitOutcomeUnknownException",
            "given up 1 CommitOutcomeUnknownException");
  }

  @Test
  void of_a_connection_that_cannot_be_had() {
    proxy.refuse();
    proxy.cutAll();

    assertThatThrownBy(
            () ->
                rowlock
                    .maxAttempts(2)
                    .retrying(policy -> policy.alsoAfter(FailureKind.CONNECTION_LOST))
                    .run(work -> {}))
        .isInstanceOf(RetriesExhaustedException.class);

    assertThat(events.log())
        .satisfiesExactly(
            event -> assertThat(event).isEqualTo("attempt 1"),
            event -> assertThat(event).startsWith("failed 1 CONNECTION_LOST"),
            event -> assertThat(event).isEqualTo("rerun 1"),
            event -> assertThat(event).isEqualTo("attempt 2"),
            event -> assertThat(event).startsWith("failed 2 CONNECTION_LOST"),
            event -> assertThat(event).isEqualTo("given up 2 RetriesExhaustedException"));
  }

  @Test
  void all_of_it_on_the_units_thread_with_times_that_add_up() {
    Set<Thread> threads = new HashSet<>();
    AtomicReference<Duration> paused = new AtomicReference<>();
    AtomicReference<Duration> elapsed = new AtomicReference<>();
    RowlockListener clock =
        new RowlockListener() {
          @Override
          public void beforeAttempt(UnitInfo info) {
            threads.add(Thread.currentThread());
          }

          @Override
          public void beforeRerun(UnitInfo info, Duration pause) {
            threads.add(Thread.currentThread());
            paused.set(pause);
          }

          @Override
          public void onCommitted(UnitInfo info, Duration took) {
            threads.add(Thread.currentThread());
            elapsed.set(took);
          }
        };

    Rowlock.builder(unit.factory())
        .listener(clock)
        .build()
        .run(
            work -> {
              if (attempts.incrementAndGet() == 1) {
                Conflicts.raise(work.entityManager(), "40001");
              }
            });

    assertThat(threads).containsExactly(Thread.currentThread());
    assertThat(paused.get()).isBetween(Duration.ZERO, Duration.ofMillis(500));
    assertThat(elapsed.get()).isGreaterThanOrEqualTo(paused.get());
  }
}
