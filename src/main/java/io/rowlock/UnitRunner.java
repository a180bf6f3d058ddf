package io.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * Runs units of work.
 *
 * <p>A unit is one transaction on one connection with a fresh persistence context. When PostgreSQL
 * aborts it with 40001 or 40P01, it is rolled back and the function is run again from its first
 * line, in a new transaction and a new persistence context. A unit that is started inside a running
 * unit of the same thread and factory joins it: it never reruns on its own, and if it fails the
 * outermost unit fails.
 *
 * <p>Safe for use by any thread; each unit runs on the thread that calls.
 */
public interface UnitRunner {

  /**
   * Runs the function as a unit of work and answers its result once the transaction has committed.
   *
   * @throws X what the function threw, as it was thrown; the unit was rolled back
   * @throws RetriesExhaustedException if the unit was aborted in every attempt that the policy
   *     allows
   * @throws SwallowedFailureException if the function returned although its transaction can no
   *     longer commit
   * @throws CommitOutcomeUnknownException if the connection was lost during COMMIT
   * @throws UnitInterruptedException if the thread was interrupted while it waited to run again
   * @throws UnitMisuseException if the function began or ended a transaction itself, or used an
   *     entity instance of an attempt that was rolled back
   * @throws IllegalStateException if the factory is closed, or a joined unit asks for another
   *     isolation level than the running one has
   */
  <T extends @Nullable Object, X extends Exception> T call(UnitFunction<T, X> function) throws X;

  /**
   * Runs the action as a unit of work; returns once the transaction has committed.
   *
   * @throws X what the action threw; for everything else see {@link #call(UnitFunction)}
   */
  <X extends Exception> void run(UnitAction<X> action) throws X;
}
