package io.rowlock.internal;

import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.RetryPolicy;

/**
 * What the attempt loop needs to know of a unit of work.
 *
 * @param name the unit's name
 * @param policy how often, how long and after which failures it is run again
 * @param listener is told about it; must not throw
 */
public record UnitPlan(String name, RetryPolicy policy, RowlockListener listener) {

  /** Whether there may be another attempt after this failure, the deadline aside. */
  boolean mayRunAgain(UnitInfo info, Throwable problem) {
    return info.attempt() < info.maxAttempts()
        && policy.runsAgainAfter(FailureClassifier.classify(problem));
  }
}
