package io.rowlock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.CommitOutcomeUnknownException;
import io.rowlock.RetriesExhaustedException;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.UnitInterruptedException;
import io.rowlock.internal.AttemptOutcome.Reached;
import io.rowlock.retry.Backoff;
import io.rowlock.retry.Failure;
import io.rowlock.retry.FailureKind;
import io.rowlock.retry.RetryPolicy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * The rules by which attempts follow each other (A3 to A7), with a clock that only moves when told
 * to.
 */
class AttemptLoopTest {

  private final ManualTiming timing = new ManualTiming();
  private final Events events = new Events();
  private final List<Duration> left = new ArrayList<>();
  private RetryPolicy policy =
      RetryPolicy.defaults()
          .withMaxAttempts(5)
          .withDeadline(Duration.ofSeconds(10))
          .withBackoff(new Backoff(Duration.ofMillis(100), Duration.ofMillis(400)));

  @Test
  void the_result_of_the_attempt_that_committed_is_answered() {
    assertThat(run(deadlock("first"), serialization("second"))).isEqualTo("done");

    assertThat(events.log)
        .containsExactly(
            "before 1",
            "failed 1 DEADLOCK first",
            "rerun 1 PT0.1S",
            "before 2",
            "failed 2 SERIALIZATION_FAILURE second",
            "rerun 2 PT0.2S",
            "before 3",
            "committed 3");
    assertThat(timing.pauses).containsExactly(Duration.ofMillis(100), Duration.ofMillis(200));
  }

  @Test
  void a_failure_that_is_not_run_again_leaves_as_it_was_thrown() {
    Exception problem = new Exception("checked", new SQLException("", "23505"));

    assertThatThrownBy(() -> run(deadlock("first"), problem))
        .isSameAs(problem)
        .hasNoSuppressedExceptions();
    assertThat(timing.pauses).hasSize(1);
  }

  @Test
  void an_error_leaves_as_it_was_thrown() {
    Error error = new StackOverflowError();

    assertThatThrownBy(() -> run(error)).isSameAs(error);
  }

  @Test
  void when_the_attempts_are_used_up_all_failures_are_told() {
    policy = policy.withMaxAttempts(3);
    Exception first = deadlock("first");
    Exception second = serialization("second");
    Exception third = deadlock("third");

    RetriesExhaustedException exhausted =
        catchThrowableOfType(
            RetriesExhaustedException.class, () -> run(first, second, third, deadlock("fourth")));

    assertThat(exhausted).hasCause(third).hasSuppressedException(first);
    assertThat(exhausted.getSuppressed()).containsExactly(first, second);
    assertThat(exhausted.attempts()).isEqualTo(3);
    assertThat(exhausted.elapsed()).isEqualTo(Duration.ofMillis(300));
    assertThat(exhausted.unit()).isEqualTo("transfer");
    assertThat(exhausted)
        .hasMessageContaining("'transfer' failed in 3 attempts, 300 ms after it began")
        .hasMessageContaining("its policy allows 3 attempts")
        .hasMessageContaining("third");
  }

  @Test
  void the_same_exception_thrown_each_time_is_told_once() {
    policy = policy.withMaxAttempts(2);
    Exception same = deadlock("same");

    assertThatThrownBy(() -> run(same, same))
        .isInstanceOf(RetriesExhaustedException.class)
        .hasCause(same)
        .hasNoSuppressedExceptions();
  }

  @Test
  void one_attempt_stands_for_no_rerun() {
    policy = policy.withMaxAttempts(1);

    assertThatThrownBy(() -> run(deadlock("only")))
        .isInstanceOf(RetriesExhaustedException.class)
        .hasMessageContaining("1 attempt,")
        .hasMessageContaining("its policy allows 1 attempt.");
    assertThat(timing.pauses).isEmpty();
  }

  @Test
  void a_pause_that_would_pass_the_deadline_is_not_begun() {
    policy = policy.withDeadline(Duration.ofMillis(250));

    assertThatThrownBy(() -> run(deadlock("first"), deadlock("second"), deadlock("third")))
        .isInstanceOf(RetriesExhaustedException.class)
        .hasMessageContaining("its deadline of PT0.25S would pass before the next attempt");
    assertThat(timing.pauses).containsExactly(Duration.ofMillis(100));
  }

  @Test
  void the_deadline_is_counted_from_the_first_attempt_and_each_one_is_told_what_is_left() {
    run(deadlock("first"), deadlock("second"));

    assertThat(left)
        .containsExactly(
            Duration.ofSeconds(10), Duration.ofMillis(9_900), Duration.ofMillis(9_700));
  }

  @Test
  void without_a_deadline_only_the_attempts_count() {
    policy = policy.withoutDeadline();
    timing.move(Duration.ofDays(100));

    run(deadlock("first"));

    assertThat(left).containsExactly(null, null);
  }

  @Test
  void a_timeout_once_the_deadline_has_passed_is_the_deadline() {
    for (String state : List.of("55P03", "57014")) {
      Exception timeout = new Exception(new SQLException("", state));
      policy = policy.withDeadline(Duration.ofSeconds(1));

      assertThatThrownBy(
              () ->
                  loop()
                      .run(
                          plan(),
                          (info, deadline) -> {
                            timing.move(Duration.ofSeconds(1));
                            return AttemptOutcome.failed(timeout, Reached.WORK);
                          }))
          .isInstanceOf(RetriesExhaustedException.class)
          .hasCause(timeout)
          .hasMessageContaining("its deadline of PT1S has passed");
    }
  }

  @Test
  void a_timeout_before_the_deadline_leaves_as_it_was_thrown() {
    Exception timeout = new Exception(new SQLException("", "55P03"));

    assertThatThrownBy(() -> run(timeout)).isSameAs(timeout);
  }

  @Test
  void a_failure_of_the_work_after_the_deadline_leaves_as_it_was_thrown() {
    Exception business = new Exception("insufficient funds");

    assertThatThrownBy(
            () ->
                loop()
                    .run(
                        plan(),
                        (info, deadline) -> {
                          timing.move(Duration.ofDays(1));
                          return AttemptOutcome.failed(business, Reached.WORK);
                        }))
        .isSameAs(business);
  }

  @Test
  void what_may_be_asked_for_is_run_again_when_asked_for() {
    Exception timeout = new Exception(new SQLException("", "55P03"));
    policy = policy.alsoAfter(FailureKind.LOCK_NOT_AVAILABLE);

    assertThat(run(timeout)).isEqualTo("done");
  }

  @Test
  void an_unknown_outcome_is_never_run_again() {
    Exception lost = new Exception("reply lost", new SQLException("", "08006"));
    Exception unknown =
        new CommitOutcomeUnknownException(
            new UnitInfo("transfer", 1, 5), "7", "nobody knows", lost);

    assertThatThrownBy(
            () ->
                runOutcomes(
                    AttemptOutcome.failed(serialization("first"), Reached.WORK),
                    AttemptOutcome.failed(unknown, Reached.UNKNOWN)))
        .isSameAs(unknown)
        .hasCause(lost)
        .hasMessageContaining("'transfer' on attempt 1 of 5")
        .hasMessageContaining("nobody knows")
        .hasMessageContaining("select pg_xact_status('7'::xid8)")
        .hasMessageContaining("reply lost")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(timing.pauses).hasSize(1);
  }

  @Test
  void a_connection_lost_during_commit_is_run_again_once_it_is_known_to_be_rolled_back() {
    Exception lost = new Exception("reply lost", new SQLException("", "08006"));

    assertThat(runOutcomes(AttemptOutcome.failed(lost, Reached.ROLLED_BACK))).isEqualTo("done");
  }

  @Test
  void another_failure_of_a_commit_known_to_be_rolled_back_is_a_failure_like_others() {
    Exception other = new Exception(new SQLException("", "23514"));

    assertThatThrownBy(() -> runOutcomes(AttemptOutcome.failed(other, Reached.ROLLED_BACK)))
        .isSameAs(other);
  }

  @Test
  void a_connection_lost_before_commit_is_a_failure_like_others() {
    Exception lost = new Exception(new SQLException("", "08006"));

    assertThatThrownBy(() -> runOutcomes(AttemptOutcome.failed(lost, Reached.WORK))).isSameAs(lost);
  }

  @Test
  void a_serialization_failure_of_the_commit_itself_is_run_again() {
    assertThat(runOutcomes(AttemptOutcome.failed(serialization("at commit"), Reached.COMMIT)))
        .isEqualTo("done");
  }

  @Test
  void nothing_is_run_again_once_it_has_committed() {
    Exception after = serialization("in a callback after the commit");

    assertThatThrownBy(() -> runOutcomes(AttemptOutcome.failed(after, Reached.COMMITTED)))
        .isSameAs(after);
    assertThat(events.log).containsExactly("before 1", "committed 1");
  }

  @Test
  void interruption_ends_the_wait_and_the_unit_and_the_flag_is_kept() {
    Exception first = deadlock("first");
    Exception second = deadlock("second");
    timing.interruptPause = 2;

    assertThatThrownBy(() -> run(first, second))
        .isInstanceOf(UnitInterruptedException.class)
        .hasCause(second)
        .hasSuppressedException(first);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void a_listener_that_throws_is_passed_over() {
    RowlockListener bad =
        new RowlockListener() {
          @Override
          public void beforeAttempt(UnitInfo unit) {
            throw new IllegalStateException("a listener");
          }

          @Override
          public void onCommitted(UnitInfo unit, Duration elapsed) {
            throw new IllegalStateException("a listener");
          }
        };
    Listeners both = new Listeners(List.of(bad, events));

    String result =
        loop()
            .run(
                new UnitPlan("transfer", policy, both, null),
                (info, deadline) -> AttemptOutcome.committed("done"));

    assertThat(result).isEqualTo("done");
    assertThat(events.log).containsExactly("before 1", "committed 1");
  }

  private String run(Throwable... failures) {
    AttemptOutcome<?>[] outcomes = new AttemptOutcome<?>[failures.length];
    for (int i = 0; i < failures.length; i++) {
      outcomes[i] = AttemptOutcome.failed(failures[i], Reached.WORK);
    }
    return runOutcomes(outcomes);
  }

  /** Runs attempts with these outcomes, and then one that commits. */
  @SuppressWarnings("unchecked")
  private String runOutcomes(AttemptOutcome<?>... outcomes) {
    return loop()
        .run(
            plan(),
            (info, deadline) -> {
              left.add(deadline.left());
              return info.attempt() <= outcomes.length
                  ? (AttemptOutcome<String>) outcomes[info.attempt() - 1]
                  : AttemptOutcome.committed("done");
            });
  }

  private AttemptLoop loop() {
    return new AttemptLoop(timing);
  }

  private UnitPlan plan() {
    return new UnitPlan("transfer", policy, events, null);
  }

  private static Exception deadlock(String message) {
    return new Exception(message, new SQLException("", "40P01"));
  }

  private static Exception serialization(String message) {
    return new Exception(message, new SQLException("", "40001"));
  }

  private static final class ManualTiming implements Timing {

    final List<Duration> pauses = new ArrayList<>();
    int interruptPause;
    private long now = Long.MAX_VALUE - 5;

    void move(Duration time) {
      now += time.toNanos();
    }

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void pause(Duration pause) throws InterruptedException {
      pauses.add(pause);
      if (pauses.size() == interruptPause) {
        throw new InterruptedException();
      }
      move(pause);
    }

    /** Always the longest pause. */
    @Override
    public RandomGenerator random() {
      return new Random() {
        @Override
        public long nextLong(long bound) {
          return bound - 1;
        }
      };
    }
  }

  private static final class Events implements RowlockListener {

    final List<String> log = new ArrayList<>();

    @Override
    public void beforeAttempt(UnitInfo unit) {
      log.add("before " + unit.attempt());
    }

    @Override
    public void onCommitted(UnitInfo unit, Duration elapsed) {
      log.add("committed " + unit.attempt());
    }

    @Override
    public void onAttemptFailed(UnitInfo unit, Throwable problem, Failure failure) {
      log.add("failed " + unit.attempt() + " " + failure.kind() + " " + problem.getMessage());
    }

    @Override
    public void beforeRerun(UnitInfo unit, Duration pause) {
      log.add("rerun " + unit.attempt() + " " + pause);
    }
  }
}
