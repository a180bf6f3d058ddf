package io.rowlock.internal.hibernate;

import jakarta.persistence.TransactionRequiredException;
import java.util.function.BooleanSupplier;
import org.hibernate.SessionEventListener;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.resource.transaction.spi.TransactionStatus;

/**
 * Keeps a session of Rowlock's own from sending anything once its transaction has ended, whoever
 * ended it: a pool would hand out a connection in auto-commit mode, and each further statement of
 * the unit would be stored by itself; the driver would begin another transaction after a commit at
 * the connection, and a failure of that would be taken for one of the unit. For the thread of its
 * session.
 */
final class OnlyInTransaction implements SessionEventListener {

  private static final long serialVersionUID = 1L;

  private final transient SessionImplementor session;
  private final transient BooleanSupplier bypassed;

  private OnlyInTransaction(SessionImplementor session, BooleanSupplier bypassed) {
    this.session = session;
    this.bypassed = bypassed;
  }

  /**
   * From now on.
   *
   * @param bypassed whether the transaction has ended unseen by Hibernate
   */
  static void of(SessionImplementor session, BooleanSupplier bypassed) {
    session.addEventListeners(new OnlyInTransaction(session, bypassed));
  }

  @Override
  public void jdbcPrepareStatementStart() {
    if (bypassed.getAsBoolean()) {
      throw new TransactionRequiredException(
          "The transaction of the unit of work was ended at the connection or by a statement: nothing more is"
              + " sent, since it would belong to another one");
    }
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
