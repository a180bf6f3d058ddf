package io.rowlock.lock;

import java.time.Duration;
import java.util.Objects;

/**
 * How a known set of rows is locked: the strength, and how long to wait for rows held by others.
 *
 * <p>Immutable; safe for use by any thread.
 *
 * @param strength how strongly each row is locked
 * @param waiting how long to wait for a row held by another transaction
 */
public record Locking(LockStrength strength, LockWait waiting) {

  private static final Locking DEFAULTS =
      new Locking(LockStrength.NO_KEY_UPDATE, LockWait.untilDeadline());

  /** Checks that nothing is null. */
  public Locking {
    Objects.requireNonNull(strength, "strength");
    Objects.requireNonNull(waiting, "waiting");
  }

  /** {@link LockStrength#NO_KEY_UPDATE}, waiting until the unit's deadline. */
  public static Locking defaults() {
    return DEFAULTS;
  }

  /** The given strength, waiting until the unit's deadline. */
  public static Locking with(LockStrength strength) {
    return new Locking(strength, DEFAULTS.waiting);
  }

  /** The same strength; a row that is held makes the call fail at once. */
  public Locking noWait() {
    return new Locking(strength, LockWait.none());
  }

  /**
   * The same strength; waits at most so long for each row that is held.
   *
   * @param limit at least one millisecond, see {@link LockWait#atMost(Duration)}
   * @throws IllegalArgumentException if the limit is zero, negative or too long
   */
  public Locking waitAtMost(Duration limit) {
    return new Locking(strength, LockWait.atMost(limit));
  }
}
