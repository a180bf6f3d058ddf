package io.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A unit's function returned normally although its transaction can no longer commit: it caught a
 * failure that had already cost the transaction, or marked it for rollback. The transaction was
 * rolled back; nothing was stored. The cause is the failure that was swallowed, where it is known.
 */
public final class SwallowedFailureException extends RowlockException {

  private static final long serialVersionUID = 1L;

  private final UnitInfo unit;

  /** Made by Rowlock. */
  public SwallowedFailureException(UnitInfo unit, String what, @Nullable Throwable swallowed) {
    super(
        "Unit of work "
            + unit
            + " returned normally, but "
            + what
            + "; it was rolled back and nothing was stored. Let the failure leave the function instead of"
            + " catching it"
            + (swallowed == null ? "" : ". Swallowed: " + swallowed.getMessage()),
        swallowed);
    this.unit = unit;
  }

  /** The unit and its attempt. */
  public UnitInfo unit() {
    return unit;
  }
}
