package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.internal.hibernate.HibernateSession;

/** Begins the transactions of units of work: those of the entity manager, or those of JTA. */
interface TransactionDriver {

  /**
   * Begins a transaction in a fresh session. What this throws has been cleaned up after.
   *
   * @param level the isolation level
   * @param deadline bounds the timeouts of its statements
   * @param gate watches the transaction
   */
  UnitTransaction begin(IsolationLevel level, Deadline deadline, CommitGate gate);

  /** The transaction of one attempt, with its session. */
  interface UnitTransaction {

    /** The session. */
    HibernateSession session();

    /** Flushes and commits. */
    void commit();

    /**
     * Rolls back unless it has ended. Throws nothing.
     *
     * @param first the failure under which further ones are suppressed
     */
    void rollback(Throwable first);

    /** Closes the session; its connection goes back to the pool. */
    void close();
  }
}
