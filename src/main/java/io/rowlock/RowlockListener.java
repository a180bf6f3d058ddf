package io.rowlock;

import io.rowlock.retry.Failure;
import java.time.Duration;

/**
 * Is told what happens to units of work. Every method does nothing unless overridden.
 *
 * <p>Called on the unit's own thread, by many threads at once. An exception that a listener throws
 * is logged and goes no further. A listener must not use the unit's transaction.
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
   * @param pause how long it waits
   */
  default void beforeRerun(UnitInfo unit, Duration pause) {}

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
