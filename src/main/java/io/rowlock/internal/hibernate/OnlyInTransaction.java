package io.rowlock.internal.hibernate;

import jakarta.persistence.TransactionRequiredException;
import org.hibernate.SessionEventListener;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.resource.transaction.spi.TransactionStatus;

/**
 * Keeps a session of Rowlock's own from taking a connection once its transaction has ended, whoever
 * ended it: a pool would hand out one in auto-commit mode, and each further statement of the unit
 * would be stored by itself. For the thread of its session.
 */
final class OnlyInTransaction implements SessionEventListener {

  private static final long serialVersionUID = 1L;

  private final transient SessionImplementor session;

  private OnlyInTransaction(SessionImplementor session) {
    this.session = session;
  }

  /** From now on. */
  static void of(SessionImplementor session) {
    session.addEventListeners(new OnlyInTransaction(session));
  }

  @Override
  public void jdbcConnectionAcquisitionStart() {
    TransactionStatus status =
        session.getTransactionCoordinator().getTransactionDriverControl().getStatus();
    if (status != TransactionStatus.ACTIVE
        && status != TransactionStatus.MARKED_ROLLBACK
        && status != TransactionStatus.COMMITTING) {
      throw new TransactionRequiredException(
          "The transaction of the unit of work has ended ("
              + status
              + "): nothing more is sent, since it would be stored by itself");
    }
  }
}
