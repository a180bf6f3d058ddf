package io.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A unit's function did what would make a rerun or the commit's outcome meaningless: it began or
 * ended a transaction itself, by whatever means, closed the entity manager, used an entity instance
 * of an attempt that was rolled back, or answered a future that is not done. The message names the
 * mistake and the remedy.
 */
public final class UnitMisuseException extends RowlockException {

  private static final long serialVersionUID = 1L;

  /** Made by Rowlock. */
  public UnitMisuseException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
