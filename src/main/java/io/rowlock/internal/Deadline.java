package io.rowlock.internal;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The point in time at which a unit of work gives up, if there is one. */
public final class Deadline {

  private final Timing timing;
  private final long started;
  private final @Nullable Duration limit;

  Deadline(Timing timing, @Nullable Duration limit) {
    this.timing = timing;
    this.started = timing.nanoTime();
    this.limit = limit;
  }

  /** The time since the unit's first attempt began. */
  public Duration elapsed() {
    return Duration.ofNanos(timing.nanoTime() - started);
  }

  /** What is left, zero if it has passed, null without a deadline. */
  public @Nullable Duration left() {
    if (limit == null) {
      return null;
    }
    Duration left = limit.minus(elapsed());
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Whether it has passed; never without a deadline. */
  public boolean hasPassed() {
    Duration left = left();
    return left != null && left.isZero();
  }

  /** Whether it will have passed after a pause; never without a deadline. */
  boolean passesDuring(Duration pause) {
    Duration left = left();
    return left != null && left.compareTo(pause) <= 0;
  }

  @Override
  public String toString() {
    return limit == null ? "none" : limit.toString();
  }
}
