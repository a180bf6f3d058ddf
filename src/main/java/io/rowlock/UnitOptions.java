package io.rowlock;

import io.rowlock.retry.RetryPolicy;
import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * A runner with options. Each method answers a changed copy, and the copy runs units: {@code
 * rowlock.isolation(SERIALIZABLE).maxAttempts(5).call(unit -> ...)}.
 *
 * <p>Options not given are those of the {@link Rowlock} that it came from. The retry options of a
 * unit that joins a running one have no effect: only the outermost unit is run again.
 *
 * <p>Immutable; safe for use by any thread.
 */
public interface UnitOptions extends UnitRunner {

  /**
   * Names the unit for messages and listeners. Default: {@code unit}.
   *
   * @throws IllegalArgumentException if the name is blank
   */
  UnitOptions named(String name);

  /**
   * The isolation level of the unit's transaction. Default: {@link IsolationLevel#READ_COMMITTED}.
   */
  UnitOptions isolation(IsolationLevel level);

  /** The whole retry policy, replacing what was set before. */
  UnitOptions retry(RetryPolicy policy);

  /**
   * Has the application's own check tell what has become of a transaction whose COMMIT was not
   * answered, where PostgreSQL cannot; instead of PostgreSQL with {@link CommitTracking#NONE},
   * which saves the query before COMMIT. Default: none.
   */
  UnitOptions commitCheck(CommitCheck check);

  /** Changes the retry policy: {@code retrying(p -> p.alsoAfter(OPTIMISTIC_LOCK))}. */
  UnitOptions retrying(UnaryOperator<RetryPolicy> change);

  /**
   * The largest number of attempts, the first one included. Default: 50.
   *
   * @throws IllegalArgumentException if it is less than one
   */
  default UnitOptions maxAttempts(int attempts) {
    return retrying(policy -> policy.withMaxAttempts(attempts));
  }

  /**
   * The time that all attempts and pauses together may take. Default: 30 seconds.
   *
   * @throws IllegalArgumentException if it is less than a millisecond or more than 24 days
   */
  default UnitOptions deadline(Duration limit) {
    return retrying(policy -> policy.withDeadline(limit));
  }
}
