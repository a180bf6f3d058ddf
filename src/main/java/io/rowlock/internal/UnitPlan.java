package io.rowlock.internal;

import io.rowlock.CommitCheck;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.internal.AttemptOutcome.Failed;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.Failure;
import io.rowlock.retry.FailureKind;
import io.rowlock.retry.RetryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What the attempt loop needs to know of a unit of work.
 *
 * @param name the unit's name
 * @param policy how often, how long and after which failures it is run again
 * @param listener is told about it; must not throw
 * @param check the application's own way to find out a commit's outcome, null for PostgreSQL's
 */
public record UnitPlan(
    String name, RetryPolicy policy, RowlockListener listener, @Nullable CommitCheck check) {

  /** Whether there may be another attempt after this one, the deadline aside. */
  boolean mayRunAgain(UnitInfo info, Failed<?> failed) {
    return info.attempt() < info.maxAttempts()
        && runsAgainAfter(failed, FailureClassifier.classify(failed.problem()));
  }

  /**
   * Whether a failure is one to run again after. What was lost at COMMIT and is known to be rolled
   * back has no lasting cause and leaves nothing behind, as a deadlock.
   */
  boolean runsAgainAfter(Failed<?> failed, Failure failure) {
    return switch (failed.reached()) {
      case COMMITTED, UNKNOWN -> false;
      case ROLLED_BACK ->
          failure.kind() == FailureKind.CONNECTION_LOST || policy.runsAgainAfter(failure);
      case WORK, COMMIT -> policy.runsAgainAfter(failure);
    };
  }
}
