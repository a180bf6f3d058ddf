package io.rowlock;

import io.rowlock.retry.Failure;
import java.time.Duration;

/**
 * Is told what happens to units of work, for metrics and logs. Every method does nothing unless
 * overridden.
 *
 * <p>Each attempt begins with {@link #beforeAttempt} and ends with {@link #onCommitted} or {@link
 * #onAttemptFailed}. A failed one is followed by {@link #beforeRerun} and the next attempt, or by
 * {@link #onGivenUp}. So each unit ends with exactly one {@link #onCommitted} or {@link
 * #onGivenUp}. A unit that joins another one, or a transaction begun elsewhere, is not told of.
 *
 * <p>Called on the unit's own thread, by many threads at once; the unit goes on when the method has
 * returned. Durations are of the machine's monotonic clock. An exception that a listener throws is
 * logged and goes no further. A listener must not use the unit's transaction.
 */
public interface RowlockListener {

  /** An attempt is about to begin its transaction. */
  default void beforeAttempt(UnitInfo unit) {}

  /** An attempt's function has returned and the transaction is about to commit. */
  default void beforeCommit(UnitInfo unit) {}

  /**
   * An attempt has committed.
   *
   * @param elapsed the time since the first attempt began
   */
  default void onCommitted(UnitInfo unit, Duration elapsed) {}

  /**
   * An attempt's COMMIT was sent, and the connection was lost before it was answered. What has
   * become of the transaction is about to be asked for, on the unit's thread.
   *
   * @param problem what was thrown
   */
  default void onCommitUnanswered(UnitInfo unit, Throwable problem) {}

  /**
   * The question of {@link #onCommitUnanswered} has been settled. An outcome of {@link
   * CommitOutcome#COMMITTED} is followed by {@link #onCommitted}, the others by {@link
   * #onAttemptFailed}.
   *
   * @param outcome what has become of the transaction
   * @param took how long it took to find out
   */
  default void onOutcomeSettled(UnitInfo unit, CommitOutcome outcome, Duration took) {}

  /**
   * An attempt has failed and was rolled back; where the problem is a {@link
   * CommitOutcomeUnknownException}, it may have committed.
   *
   * @param problem what was thrown
   * @param failure what it was classified as
   */
  default void onAttemptFailed(UnitInfo unit, Throwable problem, Failure failure) {}

  /**
   * The unit will be run again after a pause. No connection is held any more.
   *
   * @param unit the attempt that has failed
   * @param pause how long it waits; zero or more
   */
  default void beforeRerun(UnitInfo unit, Duration pause) {}

  /**
   * The unit ends without having committed, or without knowing it, and is not run again.
   *
   * @param unit the last attempt
   * @param leaving what is about to be thrown to the caller
   * @param elapsed the time since the first attempt began, pauses included
   */
  default void onGivenUp(UnitInfo unit, Throwable leaving, Duration elapsed) {}

  /**
   * Work that was {@linkplain UnitOfWork#afterCommit put off} until the unit had committed has
   * failed. Comes after {@link #onCommitted}.
   *
   * @param unit the attempt that has committed
   * @param problem the first failure; further ones are suppressed
   */
  default void onAfterCommitFailed(UnitInfo unit, Throwable problem) {}

  /**
   * A create-once operation neither found nor inserted its row, because another transaction
   * committed the key after the statement had begun, or took it away; the statement is about to be
   * sent again.
   *
   * @param unit the running attempt
   * @param entity the entity's type
   * @param round how many times the statement has been sent, counted from one
   */
  default void onLostRace(UnitInfo unit, Class<?> entity, int round) {}
}
