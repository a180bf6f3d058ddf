package io.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A unit of work <em>has committed</em>, and work that it had put off until then has failed. The
 * unit is not run again, and must not be repeated. The failure is the cause; further ones are
 * suppressed, since one that fails does not keep the others from running.
 */
public final class AfterCommitException extends RowlockException {

  private static final long serialVersionUID = 1L;

  private final UnitInfo unit;
  private final transient @Nullable Object result;

  /** Made by Rowlock. */
  public AfterCommitException(UnitInfo unit, @Nullable Object result, Throwable cause) {
    super(
        "Unit of work "
            + unit
            + " has committed, and work that it had put off until after the commit has failed. The"
            + " failure: "
            + cause.getMessage(),
        cause);
    this.unit = unit;
    this.result = result;
  }

  /** The unit and the attempt that committed. */
  public UnitInfo unit() {
    return unit;
  }

  /** What the unit's function has answered; null too if this exception was serialized since. */
  public @Nullable Object result() {
    return result;
  }
}
