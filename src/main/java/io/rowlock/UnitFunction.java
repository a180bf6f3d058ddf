package io.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * What a unit of work does, with a result.
 *
 * @param <T> the result's type
 * @param <X> the checked exception that the function may throw; inferred as {@code
 *     RuntimeException} where there is none
 */
@FunctionalInterface
public interface UnitFunction<T extends @Nullable Object, X extends Exception> {

  /**
   * Does the work. It may run more than once: everything it does must go through the unit's
   * transaction, or be harmless to repeat.
   *
   * @param unit the running attempt; must not be kept or used by another thread
   * @return the result, handed on after the commit
   * @throws X to roll the unit back; it leaves as it was thrown unless PostgreSQL aborted the
   *     transaction for a reason that is run again
   */
  T apply(UnitOfWork unit) throws X;
}
