package io.rowlock.internal;

import io.rowlock.AfterCommitException;
import io.rowlock.CommitOutcomeUnknownException;
import io.rowlock.RetriesExhaustedException;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.UnitInterruptedException;
import io.rowlock.internal.AttemptOutcome.Committed;
import io.rowlock.internal.AttemptOutcome.Failed;
import io.rowlock.internal.AttemptOutcome.Reached;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.Failure;
import io.rowlock.retry.FailureKind;
import io.rowlock.retry.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the attempts of a unit of work until one commits or the unit has to give up. Knows nothing
 * of transactions: an {@link Attempt} runs one, and says how far it came.
 *
 * <p>Nothing is run again once its COMMIT has succeeded, nor when it is not known whether it has.
 *
 * <p>Stateless; safe for use by any thread.
 */
public final class AttemptLoop {

  private final Timing timing;

  /** A loop that goes by the machine's clock. */
  public AttemptLoop() {
    this(Timing.SYSTEM);
  }

  AttemptLoop(Timing timing) {
    this.timing = timing;
  }

  /**
   * Runs a unit.
   *
   * @return the result of the attempt that committed
   * @throws RetriesExhaustedException if the bounds of the policy are reached
   * @throws CommitOutcomeUnknownException if COMMIT was not answered and its outcome is not known
   * @throws UnitInterruptedException if the thread was interrupted between two attempts
   * @throws AfterCommitException if it has committed, and work put off until then has failed
   */
  public <T extends @Nullable Object> T run(UnitPlan plan, Attempt<T> attempt) {
    Run run = new Run(plan, new Deadline(timing, plan.policy().deadline().orElse(null)));
    while (true) {
      UnitInfo info = run.next();
      AttemptOutcome<T> outcome = attempt.run(info, run.deadline);
      if (outcome instanceof Committed<T> committed) {
        run.committed(info, committed.result(), attempt);
        return committed.result();
      }
      run.failed(info, (Failed<T>) outcome, attempt);
    }
  }

  /** One unit on its way. */
  private final class Run {

    private final UnitPlan plan;
    private final String name;
    private final RetryPolicy policy;
    private final RowlockListener listener;
    private final Deadline deadline;
    private final List<Throwable> earlier = new ArrayList<>();
    private int attempts;

    Run(UnitPlan plan, Deadline deadline) {
      this.plan = plan;
      this.name = plan.name();
      this.policy = plan.policy();
      this.listener = plan.listener();
      this.deadline = deadline;
    }

    UnitInfo next() {
      attempts++;
      UnitInfo info = new UnitInfo(name, attempts, policy.maxAttempts());
      listener.beforeAttempt(info);
      return info;
    }

    void committed(UnitInfo info, @Nullable Object result, Attempt<?> attempt) {
      listener.onCommitted(info, deadline.elapsed());
      Throwable failure = attempt.afterCommit();
      if (failure != null) {
        listener.onAfterCommitFailed(info, failure);
        throw new AfterCommitException(info, result, failure);
      }
    }

    /** Returns after the pause if the unit is to be run again; throws otherwise. */
    void failed(UnitInfo info, Failed<?> failed, Attempt<?> attempt) {
      Throwable problem = failed.problem();
      if (failed.reached() == Reached.COMMITTED) {
        listener.onCommitted(info, deadline.elapsed());
        Throwable further = attempt.afterCommit();
        if (further != null) {
          listener.onAfterCommitFailed(info, further);
          suppress(problem, further);
        }
        throw Sneaky.sneak(problem);
      }
      try {
        againAfterPause(info, failed);
      } catch (Throwable leaving) {
        listener.onGivenUp(info, leaving, deadline.elapsed());
        throw Sneaky.sneak(leaving);
      }
    }

    private void suppress(Throwable problem, Throwable further) {
      if (further != problem) {
        problem.addSuppressed(further);
      }
    }

    private void againAfterPause(UnitInfo info, Failed<?> failed) {
      Throwable problem = failed.problem();
      if (failed.reached() == Reached.UNKNOWN) {
        Throwable lost = problem.getCause() == null ? problem : problem.getCause();
        earlier.forEach(problem::addSuppressed);
        listener.onAttemptFailed(info, problem, FailureClassifier.classify(lost));
        throw Sneaky.sneak(problem);
      }
      Failure failure = FailureClassifier.classify(problem);
      listener.onAttemptFailed(info, problem, failure);
      giveUpUnlessRunAgain(problem, failure, plan.runsAgainAfter(failed, failure));
      Duration pause = policy.backoff().pause(attempts, timing.random());
      if (deadline.passesDuring(pause)) {
        throw exhausted(
            "its deadline of " + deadline + " would pass before the next attempt", problem);
      }
      pause(info, pause, problem);
      earlier.add(problem);
    }

    private void giveUpUnlessRunAgain(Throwable problem, Failure failure, boolean again) {
      if (deadline.hasPassed() && (again || isTimeout(failure))) {
        throw exhausted("its deadline of " + deadline + " has passed", problem);
      }
      if (!again) {
        throw Sneaky.sneak(problem);
      }
      if (attempts >= policy.maxAttempts()) {
        throw exhausted(
            "its policy allows "
                + policy.maxAttempts()
                + (policy.maxAttempts() == 1 ? " attempt" : " attempts"),
            problem);
      }
    }

    /**
     * The deadline bounds the timeouts of each attempt: once it has passed, it is what they stand
     * for.
     */
    private boolean isTimeout(Failure failure) {
      return failure.kind() == FailureKind.LOCK_NOT_AVAILABLE
          || failure.kind() == FailureKind.QUERY_CANCELED;
    }

    private RetriesExhaustedException exhausted(String bound, Throwable last) {
      return new RetriesExhaustedException(
          name, attempts, deadline.elapsed(), bound, last, earlier);
    }

    private void pause(UnitInfo info, Duration pause, Throwable last) {
      listener.beforeRerun(info, pause);
      try {
        timing.pause(pause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UnitInterruptedException(info, last, earlier);
      }
    }
  }
}
