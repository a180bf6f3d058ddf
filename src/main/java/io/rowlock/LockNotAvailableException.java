package io.rowlock;

import java.time.Duration;

/**
 * A row was held by another transaction for longer than the call was willing to wait (SQLSTATE
 * 55P03). The transaction is lost. Not run again unless the policy asks for it. The database's
 * failure is the cause.
 *
 * <p>Where the unit's deadline has ended the wait, this is the cause of a {@link
 * RetriesExhaustedException}.
 */
public final class LockNotAvailableException extends RowlockException {

  private static final long serialVersionUID = 1L;

  private final String entity;
  private final Duration waited;

  /** Made by Rowlock. */
  public LockNotAvailableException(
      String entity, Duration waited, String message, Throwable cause) {
    super(message, cause);
    this.entity = entity;
    this.waited = waited;
  }

  /**
   * The time that the call was seen to take: from sending its first statement to the server's
   * failure. The waits for several rows add up.
   */
  public Duration waited() {
    return waited;
  }

  /** The entity's name. */
  public String entity() {
    return entity;
  }
}
