package io.rowlock;

/**
 * What a unit of work does, without a result.
 *
 * @param <X> the checked exception that the action may throw; inferred as {@code RuntimeException}
 *     where there is none
 */
@FunctionalInterface
public interface UnitAction<X extends Exception> {

  /**
   * Does the work, under the rules of {@link UnitFunction#apply(UnitOfWork)}.
   *
   * @param unit the running attempt; must not be kept or used by another thread
   * @throws X to roll the unit back
   */
  void accept(UnitOfWork unit) throws X;
}
