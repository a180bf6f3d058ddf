package io.rowlock.lock;

import java.time.Duration;
import java.util.Objects;

/**
 * How long a lock is waited for when another transaction holds the row. Skipping locked rows is no
 * choice here: the call promises all of the rows or none.
 *
 * <p>Immutable; safe for use by any thread.
 */
public sealed interface LockWait {

  /**
   * Waits as long as the unit's deadline (and the server's {@code lock_timeout}) allow. The
   * default.
   */
  static LockWait untilDeadline() {
    return UntilDeadline.INSTANCE;
  }

  /** Does not wait: {@code NOWAIT}; a row that is held makes the call fail at once. */
  static LockWait none() {
    return None.INSTANCE;
  }

  /**
   * Waits at most so long for each row that is held, as PostgreSQL's {@code lock_timeout} measures
   * it.
   *
   * @param limit from one millisecond to {@code Integer.MAX_VALUE} milliseconds; fractions of a
   *     millisecond are rounded up
   * @throws IllegalArgumentException if the limit is zero, negative or too long
   */
  static LockWait atMost(Duration limit) {
    return new AtMost(limit);
  }

  /** See {@link #untilDeadline()}. */
  enum UntilDeadline implements LockWait {
    /** The one instance. */
    INSTANCE
  }

  /** See {@link #none()}. */
  enum None implements LockWait {
    /** The one instance. */
    INSTANCE
  }

  /**
   * See {@link #atMost(Duration)}.
   *
   * @param limit the longest wait for one row
   */
  record AtMost(Duration limit) implements LockWait {

    /** Checks the limit, see {@link LockWait#atMost(Duration)}. */
    public AtMost {
      Objects.requireNonNull(limit, "limit");
      if (limit.isZero() || limit.isNegative()) {
        throw new IllegalArgumentException(
            "A lock wait of " + limit + " is not positive; use LockWait.none() not to wait at all");
      }
      if (limit.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
        throw new IllegalArgumentException(
            "A lock wait of "
                + limit
                + " is longer than PostgreSQL's lock_timeout can hold (2147483647 ms); use"
                + " LockWait.untilDeadline()");
      }
    }
  }
}
