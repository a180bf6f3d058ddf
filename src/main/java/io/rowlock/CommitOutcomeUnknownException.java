package io.rowlock;

/**
 * The connection was lost while COMMIT was under way: the transaction may have been committed or
 * rolled back, and nobody here knows. The unit is never run again. Look for the unit's effects
 * before repeating it.
 */
public final class CommitOutcomeUnknownException extends RowlockException {

  private static final long serialVersionUID = 1L;

  private final UnitInfo unit;

  /** Made by Rowlock. */
  public CommitOutcomeUnknownException(UnitInfo unit, Throwable cause) {
    super(
        "The connection was lost during COMMIT of unit of work "
            + unit
            + ": it is not known whether it was committed. It was not run again; look for its effects"
            + " before repeating it. The failure: "
            + cause.getMessage(),
        cause);
    this.unit = unit;
  }

  /** The unit and its attempt. */
  public UnitInfo unit() {
    return unit;
  }
}
