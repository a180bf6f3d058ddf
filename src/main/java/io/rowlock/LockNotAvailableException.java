package io.rowlock;

/**
 * A row was held by another transaction for longer than the call was willing to wait (SQLSTATE
 * 55P03). The transaction is lost. Not run again unless the policy asks for it. The database's
 * failure is the cause.
 */
public final class LockNotAvailableException extends RowlockException {

  private static final long serialVersionUID = 1L;

  private final String entity;

  /** Made by Rowlock. */
  public LockNotAvailableException(String entity, String message, Throwable cause) {
    super(message, cause);
    this.entity = entity;
  }

  /** The entity's name. */
  public String entity() {
    return entity;
  }
}
