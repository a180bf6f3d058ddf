package io.rowlock.internal;

import io.rowlock.UnitInfo;
import org.jspecify.annotations.Nullable;

/**
 * Runs one attempt of a unit of work from beginning to end: begins its transaction, works, commits
 * or rolls back, and gives the connection back.
 *
 * @param <T> the result's type
 */
@FunctionalInterface
public interface Attempt<T extends @Nullable Object> {

  /**
   * Runs it. A failure of the attempt is an outcome; what this method throws ends the unit as it
   * is.
   *
   * @param info which attempt it is
   * @param deadline the deadline of the unit
   */
  AttemptOutcome<T> run(UnitInfo info, Deadline deadline);

  /**
   * Runs what the attempt that ran last has put off until it has committed.
   *
   * @return the first failure of it, or null
   */
  default @Nullable Throwable afterCommit() {
    return null;
  }
}
