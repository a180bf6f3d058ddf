package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.Causes;
import io.rowlock.internal.postgres.FailureClassifier;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.RollbackException;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.InvalidTransactionException;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of JTA, on the calling thread, as Hibernate's platform finds them. Failures are
 * those of Jakarta Persistence, with JTA's own as the cause. Safe for use by any thread.
 */
public final class JtaTransactions {

  private static final String REGISTRY = "java:comp/TransactionSynchronizationRegistry";

  private static final String ROLLED_BACK = "The transaction was rolled back at its commit: ";

  private final JtaPlatform platform;
  private volatile boolean lookedUp;
  private volatile @Nullable TransactionSynchronizationRegistry registry;

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
      TransactionSynchronizationRegistry found = registry();
      if (found != null) {
        return found.getTransactionKey();
      }
      return userTransaction().getStatus() == Status.STATUS_NO_TRANSACTION ? null : "current";
    } catch (SystemException e) {
      throw failed("find the transaction", e);
    }
  }

  /** Whether this thread is in one that has not ended, though it may be marked for rollback. */
  public boolean isActive() {
    int status = status();
    return status == Status.STATUS_ACTIVE || status == Status.STATUS_MARKED_ROLLBACK;
  }

  /** Whether this thread is in one that will not be committed any more. */
  public boolean isDoomed() {
    int status = status();
    return status != Status.STATUS_ACTIVE && status != Status.STATUS_NO_TRANSACTION;
  }

  /**
   * Whether the transaction manager has ended the thread's transaction on its own, and the thread
   * is in it still: so it does when the transaction's time is over.
   */
  public boolean isTimedOut() {
    int status = status();
    return status != Status.STATUS_ACTIVE
        && status != Status.STATUS_MARKED_ROLLBACK
        && status != Status.STATUS_NO_TRANSACTION;
  }

  private int status() {
    try {
      return platform.getCurrentStatus();
    } catch (SystemException e) {
      throw failed("tell the state of the transaction", e);
    }
  }

  /**
   * Has the thread's transaction tell of its end, those registered first at first. Does nothing if
   * it is not going to commit.
   */
  public void observe(TransactionEvents events) {
    if (platform.canRegisterSynchronization()) {
      platform.registerSynchronization(new Observer(events));
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
      throw withHidden(
          e, hidden -> new RollbackException(ROLLED_BACK + hidden.getMessage(), hidden));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw withHidden(e, hidden -> failed("commit the transaction", hidden));
    }
  }

  /**
   * Does something while the thread is in no transaction, as far as its platform can suspend one.
   */
  public <T> T outside(Supplier<T> work) {
    TransactionManager manager = platform.retrieveTransactionManager();
    if (manager == null || current() == null) {
      return work.get();
    }
    try {
      Transaction suspended = manager.suspend();
      try {
        return work.get();
      } finally {
        manager.resume(suspended);
      }
    } catch (SystemException | InvalidTransactionException e) {
      throw failed("suspend or resume the transaction", e);
    }
  }

  /** Managers hide the database's failure among the suppressed ones of their own. */
  private static PersistenceException withHidden(
      Exception told, Function<Exception, PersistenceException> failure) {
    SQLException hidden = FailureClassifier.sqlFailure(told);
    if (hidden == null) {
      return failure.apply(told);
    }
    PersistenceException shown = failure.apply(hidden);
    shown.addSuppressed(told);
    return shown;
  }

  /**
   * Whether what has failed is a commit of which one part may have been done and another not. Its
   * status is that it was committed.
   */
  public static boolean isMixed(Throwable problem) {
    return Causes.anyWithSuppressed(
        problem,
        link ->
            link instanceof HeuristicMixedException || link instanceof HeuristicRollbackException);
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
   * Rolls a transaction back, if it has not ended, and takes it and whichever else is there off the
   * thread, whatever happens. Throws nothing.
   *
   * @param own what {@link #current} answered when it had begun
   * @param first the failure under which further ones are suppressed
   */
  public void rollback(@Nullable Object own, Throwable first) {
    TransactionManager manager = platform.retrieveTransactionManager();
    try {
      Object there = current();
      if (there != null) {
        if (manager != null) {
          manager.rollback();
        } else {
          userTransaction().rollback();
        }
      }
      if (!Objects.equals(own, there)) {
        rollbackSuspended(manager, own);
      }
    } catch (SystemException | InvalidTransactionException | RuntimeException | Error e) {
      suppress(first, e);
      leave(manager, first);
    }
  }

  /**
   * A function may have suspended it and left it there. It is resumed first: Agroal refuses the
   * rollback of a transaction that is not on the thread, and then commits what was written.
   */
  private static void rollbackSuspended(@Nullable TransactionManager manager, @Nullable Object own)
      throws SystemException, InvalidTransactionException {
    if (manager != null
        && own instanceof Transaction transaction
        && (transaction.getStatus() == Status.STATUS_ACTIVE
            || transaction.getStatus() == Status.STATUS_MARKED_ROLLBACK)) {
      manager.resume(transaction);
      manager.rollback();
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

  /**
   * Where there is no manager, what every container binds to this name tells transactions apart.
   */
  private @Nullable TransactionSynchronizationRegistry registry() {
    if (!lookedUp) {
      registry = lookUp();
      lookedUp = true;
    }
    return registry;
  }

  @SuppressWarnings("BanJNDI") // the name is a constant, of the container's own context
  private static @Nullable TransactionSynchronizationRegistry lookUp() {
    try {
      return InitialContext.doLookup(REGISTRY) instanceof TransactionSynchronizationRegistry found
          ? found
          : null;
    } catch (NamingException e) {
      return null;
    }
  }

  private UserTransaction userTransaction() {
    return Objects.requireNonNull(
        platform.retrieveUserTransaction(),
        "The persistence unit uses JTA, but its platform gives neither TransactionManager nor"
            + " UserTransaction; set hibernate.transaction.jta.platform");
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

  private static PersistenceException failed(String what, Exception cause) {
    return new PersistenceException("JTA could not " + what + ": " + cause.getMessage(), cause);
  }
}
