package io.rowlock;

import java.util.List;

/**
 * The thread was interrupted while a unit of work waited to be run again. Nothing was stored and no
 * connection was held; the thread's interrupt flag is set. The failure of the last attempt is the
 * cause, earlier ones are suppressed.
 */
public final class UnitInterruptedException extends RowlockException {

  private static final long serialVersionUID = 1L;

  private final UnitInfo unit;

  /** Made by Rowlock. */
  public UnitInterruptedException(
      UnitInfo unit, Throwable last, List<? extends Throwable> earlier) {
    super(
        "The thread was interrupted while unit of work "
            + unit
            + " waited to be run again; nothing was stored",
        last);
    this.unit = unit;
    earlier.stream().filter(failure -> failure != last).forEach(this::addSuppressed);
  }

  /** The unit and the attempt that had failed. */
  public UnitInfo unit() {
    return unit;
  }
}
