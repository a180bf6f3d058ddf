package io.rowlock.internal.hibernate;

import jakarta.persistence.PersistenceException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of JTA, seen through the platform that the persistence unit is configured with:
 * that one is at hand wherever Hibernate works with JTA, without JNDI. Safe for use by any thread.
 */
public final class JtaTransactions {

  private final JtaPlatform platform;

  JtaTransactions(JtaPlatform platform) {
    this.platform = platform;
  }

  /**
   * Whether this thread is in a transaction that has not ended, though it may be marked for
   * rollback.
   */
  public boolean isActive() {
    int status = status();
    return status == Status.STATUS_ACTIVE || status == Status.STATUS_MARKED_ROLLBACK;
  }

  /**
   * Whether this thread is in a transaction that will not commit any more, or has been rolled back
   * already.
   */
  public boolean isDoomed() {
    int status = status();
    return status != Status.STATUS_ACTIVE && status != Status.STATUS_NO_TRANSACTION;
  }

  /**
   * What identifies this thread's transaction; null if there is none, or the platform does not
   * tell.
   */
  public @Nullable Object current() {
    TransactionManager manager = platform.retrieveTransactionManager();
    try {
      return manager == null ? null : manager.getTransaction();
    } catch (SystemException e) {
      throw failed(e);
    }
  }

  /**
   * Has this thread's transaction tell what happens to it, the latest to be registered last.
   *
   * @return whether it could be registered, which is so only while the transaction is active
   */
  public boolean observe(TransactionEvents events) {
    if (!platform.canRegisterSynchronization()) {
      return false;
    }
    platform.registerSynchronization(new Observer(events));
    return true;
  }

  private int status() {
    try {
      return platform.getCurrentStatus();
    } catch (SystemException e) {
      throw failed(e);
    }
  }

  private static PersistenceException failed(SystemException e) {
    return new PersistenceException("The transaction manager does not tell its state", e);
  }

  private record Observer(TransactionEvents events) implements Synchronization {

    @Override
    public void beforeCompletion() {
      events.beforeCommit();
    }

    @Override
    public void afterCompletion(int status) {
      events.ended(status == Status.STATUS_COMMITTED);
    }
  }
}
