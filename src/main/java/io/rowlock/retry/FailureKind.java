package io.rowlock.retry;

/**
 * What a failure is, told by the SQLSTATE wherever it stands in the chain of causes, next
 * exceptions and suppressed exceptions; never by an exception's class, except for {@link
 * #OPTIMISTIC_LOCK}, which has no SQLSTATE. The codes are those of <a
 * href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL's appendix
 * A</a>.
 */
public enum FailureKind {

  /** 40001: the transaction could not be serialized with another one. Always run again. */
  SERIALIZATION_FAILURE,

  /** 40P01: the server chose the transaction as a deadlock's victim. Always run again. */
  DEADLOCK,

  /** A version check found the row changed or gone. Run again only if asked for. */
  OPTIMISTIC_LOCK,

  /** 55P03: a lock was not had in time, or not at once. Run again only if asked for. */
  LOCK_NOT_AVAILABLE,

  /**
   * 23505: a unique constraint was violated. Run again only for constraints that are named in the
   * policy.
   */
  UNIQUE_VIOLATION,

  /**
   * 57014: a statement was cancelled, by {@code statement_timeout} or by somebody. Never run again.
   */
  QUERY_CANCELED,

  /**
   * Class 08, 57P01 to 57P03, 57P05, 25P03, 25P04: the connection is gone, or could not be had.
   * Before COMMIT was sent nothing is stored: run again only if asked for, on another connection.
   * Once COMMIT was sent, PostgreSQL is asked what has become of the transaction: run again if it
   * was rolled back, never if that is not known.
   */
  CONNECTION_LOST,

  /** Everything else. Never run again. */
  OTHER
}
