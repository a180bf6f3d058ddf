package io.rowlock.internal.hibernate;

import jakarta.persistence.PersistenceException;
import jakarta.persistence.RollbackException;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.UserTransaction;
import java.util.Objects;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of JTA, on the calling thread, as Hibernate's platform finds them. Failures are
 * those of Jakarta Persistence, with JTA's own as the cause. Safe for use by any thread.
 */
public final class JtaTransactions {

  private final JtaPlatform platform;

  JtaTransactions(JtaPlatform platform) {
    this.platform = platform;
  }

  /** What tells the thread's transaction from others; null if there is none. */
  public @Nullable Object current() {
    TransactionManager manager = platform.retrieveTransactionManager();
    try {
      if (manager != null) {
        return manager.getTransaction();
      }
      return userTransaction().getStatus() == Status.STATUS_NO_TRANSACTION ? null : "current";
    } catch (SystemException e) {
      throw failed("find the transaction", e);
    }
  }

  /** Begins one. */
  public void begin() {
    TransactionManager manager = platform.retrieveTransactionManager();
    try {
      if (manager != null) {
        manager.begin();
      } else {
        userTransaction().begin();
      }
    } catch (NotSupportedException | SystemException e) {
      throw failed("begin a transaction", e);
    }
  }

  /** Commits the thread's transaction. */
  public void commit() {
    TransactionManager manager = platform.retrieveTransactionManager();
    try {
      if (manager != null) {
        manager.commit();
      } else {
        userTransaction().commit();
      }
    } catch (jakarta.transaction.RollbackException e) {
      throw new RollbackException("The transaction was rolled back at its commit: " + e, e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw failed("commit the transaction", e);
    }
  }

  /** Sees to it that the thread's transaction is not committed. */
  public void setRollbackOnly() {
    TransactionManager manager = platform.retrieveTransactionManager();
    try {
      if (manager != null) {
        manager.setRollbackOnly();
      } else {
        userTransaction().setRollbackOnly();
      }
    } catch (SystemException e) {
      throw failed("mark the transaction for rollback", e);
    }
  }

  /**
   * Rolls the thread's transaction back, if there is one, and takes it off the thread whatever
   * happens. Throws nothing.
   *
   * @param first the failure under which further ones are suppressed
   */
  public void rollback(Throwable first) {
    TransactionManager manager = platform.retrieveTransactionManager();
    try {
      if (current() != null) {
        if (manager != null) {
          manager.rollback();
        } else {
          userTransaction().rollback();
        }
      }
    } catch (SystemException | RuntimeException | Error e) {
      suppress(first, e);
      leave(manager, first);
    }
  }

  private static void leave(@Nullable TransactionManager manager, Throwable first) {
    try {
      if (manager != null) {
        manager.suspend();
      }
    } catch (SystemException | RuntimeException e) {
      suppress(first, e);
    }
  }

  private static void suppress(Throwable first, Throwable further) {
    if (first != further) {
      first.addSuppressed(further);
    }
  }

  private UserTransaction userTransaction() {
    return Objects.requireNonNull(
        platform.retrieveUserTransaction(),
        "The persistence unit uses JTA, but its platform gives neither TransactionManager nor"
            + " UserTransaction; set hibernate.transaction.jta.platform");
  }

  private static PersistenceException failed(String what, Exception cause) {
    return new PersistenceException("JTA could not " + what + ": " + cause.getMessage(), cause);
  }
}
