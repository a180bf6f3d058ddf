package io.rowlock.internal;

import org.jspecify.annotations.Nullable;

/**
 * How an attempt has ended: whatever happened, its transaction is over and its connection returned.
 *
 * @param <T> the result's type
 */
public sealed interface AttemptOutcome<T extends @Nullable Object> {

  /** How far a failed attempt had come. */
  enum Reached {
    /**
     * COMMIT was not sent: the transaction is rolled back, or its connection is gone and it with
     * it.
     */
    WORK,
    /** COMMIT was sent, and the server has refused it. */
    COMMIT,
    /** COMMIT was sent and not answered, and the transaction is known to be rolled back. */
    ROLLED_BACK,
    /**
     * COMMIT was sent and not answered, or only part of a global transaction was committed: what
     * has become of it is not known.
     */
    UNKNOWN,
    /** COMMIT has succeeded; what failed came after it. */
    COMMITTED
  }

  /** The outcome of an attempt that has committed. */
  static <T extends @Nullable Object> AttemptOutcome<T> committed(T result) {
    return new Committed<>(result);
  }

  /** The outcome of an attempt that has failed. */
  static <T extends @Nullable Object> AttemptOutcome<T> failed(Throwable problem, Reached reached) {
    return new Failed<>(problem, reached);
  }

  /**
   * The attempt has committed.
   *
   * @param result what the function has answered
   * @param <T> the result's type
   */
  record Committed<T extends @Nullable Object>(T result) implements AttemptOutcome<T> {}

  /**
   * The attempt has failed.
   *
   * @param problem what was thrown
   * @param reached how far it had come
   * @param <T> the result's type
   */
  record Failed<T extends @Nullable Object>(Throwable problem, Reached reached)
      implements AttemptOutcome<T> {}
}
