package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.internal.hibernate.HibernateSession;
import io.rowlock.internal.hibernate.ReuseGuard;
import org.jspecify.annotations.Nullable;

/** Begins the transactions of units of work: those of the entity manager, or those of JTA. */
interface TransactionDriver {

  /**
   * Begins a transaction in a fresh session. What this throws has been cleaned up after.
   *
   * @param level the isolation level
   * @param deadline bounds the timeouts of its statements
   * @param gate watches the transaction
   * @param guard is shown what its session had managed, if it is rolled back
   */
  UnitTransaction begin(IsolationLevel level, Deadline deadline, CommitGate gate, ReuseGuard guard);

  /** What tells the transaction that runs on this thread from others; null if there is none. */
  @Nullable Object current();

  /** The transaction of one attempt, with its session. */
  interface UnitTransaction {

    /** The session. */
    HibernateSession session();

    /** Whether it has not ended, though it may be marked for rollback. */
    boolean isActive();

    /** Whether a transaction manager has ended it on its own, because its time was over. */
    boolean isTimedOut();

    /** Flushes and commits. */
    void commit();

    /**
     * Rolls back unless it has ended. Throws nothing.
     *
     * @param first the failure under which further ones are suppressed
     */
    void rollback(Throwable first);
  }
}
