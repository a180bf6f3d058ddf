package io.rowlock;

import java.time.Duration;
import java.util.List;

/**
 * A unit of work was aborted in every attempt that its policy allows. The last failure is the
 * cause, the earlier ones are suppressed, oldest first. Nothing was stored.
 *
 * <p>A wait that the deadline has ended is told by this exception as well, whoever waited: SQLSTATE
 * 55P03 for a lock (a {@link LockNotAvailableException} is the cause where Rowlock asked for it),
 * 57014 for a statement that took too long.
 */
public final class RetriesExhaustedException extends RowlockException {

  private static final long serialVersionUID = 1L;

  private final String unit;
  private final int attempts;
  private final Duration elapsed;

  /** Made by Rowlock. */
  public RetriesExhaustedException(
      String unit,
      int attempts,
      Duration elapsed,
      String bound,
      Throwable last,
      List<? extends Throwable> earlier) {
    super(
        "Unit of work '"
            + unit
            + "' failed in "
            + attempts
            + (attempts == 1 ? " attempt, " : " attempts, ")
            + elapsed.toMillis()
            + " ms after it began, and is not run again: "
            + bound
            + ". Last failure: "
            + last.getMessage(),
        last);
    this.unit = unit;
    this.attempts = attempts;
    this.elapsed = elapsed;
    earlier.stream().filter(failure -> failure != last).forEach(this::addSuppressed);
  }

  /** The unit's name. */
  public String unit() {
    return unit;
  }

  /** How many attempts were made. */
  public int attempts() {
    return attempts;
  }

  /** The time from the first attempt's start to the last failure. */
  public Duration elapsed() {
    return elapsed;
  }
}
