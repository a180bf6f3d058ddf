package io.rowlock.internal.hibernate;

import io.rowlock.IsolationLevel;
import io.rowlock.internal.postgres.Causes;
import io.rowlock.internal.postgres.ServerTransaction;
import io.rowlock.internal.postgres.TransactionFate;
import io.rowlock.internal.postgres.TransactionMark;
import io.rowlock.internal.postgres.TransactionPreamble;
import io.rowlock.internal.postgres.TransactionPreamble.Opened;
import io.rowlock.internal.postgres.TransactionWitness;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;
import org.hibernate.FlushMode;
import org.hibernate.Transaction;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.resource.jdbc.spi.LogicalConnectionImplementor;
import org.hibernate.resource.transaction.spi.TransactionObserver;
import org.hibernate.resource.transaction.spi.TransactionStatus;
import org.jspecify.annotations.Nullable;

/** What the engine needs of one of Hibernate's sessions. Not safe for use by several threads. */
public final class HibernateSession {

  private final SessionImplementor session;
  private final ServerVersionCheck server;
  private boolean prepared;
  private @Nullable String witness;

  HibernateSession(SessionImplementor session, ServerVersionCheck server) {
    this.session = session;
    this.server = server;
  }

  /** The session itself. */
  public EntityManager entityManager() {
    return session;
  }

  /** Begins a resource-local transaction. */
  public void begin() {
    session.accessTransaction().begin();
  }

  /**
   * Sends the first statement of a transaction that has just begun.
   *
   * @param level its isolation level, or null to leave it as it is
   * @param left what is left until the deadline, or null for none
   * @param assigning whether to have the transaction's id assigned
   * @return what is known of the transaction, if its id was to be assigned
   * @throws IllegalStateException if the server is too old, or no transaction was begun after all
   */
  public @Nullable TransactionMark prepare(
      @Nullable IsolationLevel level, @Nullable Duration left, boolean assigning) {
    try {
      Connection connection = connection();
      server.checkServer(connection);
      Opened opened = TransactionPreamble.send(connection, level, left, assigning);
      witness = opened.witness();
      if (ServerTransaction.state(connection) == ServerTransaction.State.NONE) {
        throw new IllegalStateException(
            "The connection commits every statement on its own, so that there is no transaction:"
                + " hibernate.connection.provider_disables_autocommit is set, but the pool hands out"
                + " connections in auto-commit mode");
      }
      prepared = true;
      return opened.mark();
    } catch (SQLException e) {
      throw new PersistenceException(
          "The unit's transaction could not begin: " + e.getMessage(), e);
    }
  }

  /**
   * Reads something in statements that are each a transaction of their own. Null, and nothing is
   * read, if connections are not in auto-commit mode: a statement would begin a transaction that
   * nobody ends, since Hibernate gives the connection back as soon as it is done.
   */
  public <T> @Nullable T withoutTransaction(Function<EntityManager, @Nullable T> reading) {
    try {
      Connection connection = connection();
      server.checkServer(connection);
      return connection.getAutoCommit() ? reading.apply(session) : null;
    } catch (SQLException e) {
      throw new PersistenceException("The database could not be read: " + e.getMessage(), e);
    }
  }

  /** Writes what is pending, unless the application has reserved that for itself. */
  public void flush() {
    if (session.getHibernateFlushMode() != FlushMode.MANUAL) {
      session.flush();
    }
  }

  /** The isolation level of the running transaction; costs a round trip. */
  public IsolationLevel isolation() {
    try {
      return ServerTransaction.isolation(connection());
    } catch (SQLException e) {
      throw new PersistenceException(
          "The isolation level of the running transaction could not be read: " + e.getMessage(), e);
    }
  }

  /** Flushes and commits a resource-local transaction. */
  public void commit() {
    session.accessTransaction().commit();
  }

  /**
   * Rolls a resource-local transaction back: at the connection first, because Hibernate would leave
   * a connection that refuses to the pool, and a pool may commit what is open there. A connection
   * that refuses is discarded; so is one on which the virtual machine may have failed between a
   * statement and its answer, for which the driver would wait for ever. Throws nothing.
   *
   * @param first the failure under which further ones are suppressed
   * @param guard is shown what the session manages
   */
  public void rollback(Throwable first, ReuseGuard guard) {
    try {
      guard.collect(session);
      LogicalConnectionImplementor logical = logicalConnection();
      if (logical.isOpen() && logical.isPhysicallyConnected()) {
        Connection connection = logical.getPhysicalConnection();
        if (Causes.any(first, VirtualMachineError.class::isInstance)) {
          discard(connection, first);
        } else {
          rollback(connection, first);
        }
      }
    } catch (RuntimeException | Error e) {
      suppress(first, e);
    }
    try {
      Transaction transaction = session.accessTransaction();
      if (transaction.getStatus().canRollback()) {
        transaction.rollback();
      }
    } catch (RuntimeException | Error e) {
      suppress(first, e);
    }
  }

  private static void rollback(Connection connection, Throwable first) {
    try {
      connection.rollback();
    } catch (SQLException | RuntimeException | Error e) {
      suppress(first, e);
      discard(connection, first);
    }
  }

  private static void discard(Connection connection, Throwable first) {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException | RuntimeException | Error e) {
      suppress(first, e);
    }
  }

  private static void suppress(Throwable first, Throwable further) {
    if (further != first) {
      first.addSuppressed(further);
    }
  }

  /** Closes the session; its connection goes back to the pool. */
  public void close() {
    session.close();
  }

  /**
   * Closes the session after a failure. Throws nothing.
   *
   * @param first the failure under which further ones are suppressed
   */
  public void close(Throwable first) {
    try {
      session.close();
    } catch (RuntimeException | Error e) {
      suppress(first, e);
    }
  }

  /** Whether it is open. */
  public boolean isOpen() {
    return session.isOpen();
  }

  /** Whether a transaction is active that the session takes part in. */
  public boolean isInTransaction() {
    return session.isTransactionInProgress();
  }

  /** Whether Hibernate will not commit the transaction any more. */
  public boolean isRollbackOnly() {
    return status() == TransactionStatus.MARKED_ROLLBACK;
  }

  private TransactionStatus status() {
    return session.getTransactionCoordinator().getTransactionDriverControl().getStatus();
  }

  /** Sees to it that the transaction is not committed. */
  public void markRollbackOnly() {
    session.markForRollbackOnly();
  }

  /** The state of the server's transaction; costs no round trip. */
  public ServerTransaction.State serverState() {
    try {
      return ServerTransaction.state(connection());
    } catch (RuntimeException e) {
      return ServerTransaction.State.UNKNOWN;
    }
  }

  /**
   * Whether the transaction that {@link #prepare} opened has ended at the connection, or by a
   * statement, unseen by Hibernate; costs no round trip, and throws nothing.
   */
  public boolean isBypassed() {
    try {
      if (!prepared || session.isClosed()) {
        return false;
      }
      Connection connection = connection();
      return switch (ServerTransaction.state(connection)) {
        case NONE -> true;
        case OPEN -> witness != null && TransactionWitness.isGone(connection, witness);
        // a failure takes the witness off as well
        case FAILED, UNKNOWN -> false;
      };
    } catch (RuntimeException e) {
      return false;
    }
  }

  /**
   * The failure that has cost the transaction, found by sending a statement; null if it succeeded.
   */
  public @Nullable Throwable probe() {
    try {
      return ServerTransaction.probe(connection());
    } catch (RuntimeException e) {
      return e;
    }
  }

  /** The same as {@link #mark()} if a statement has carried it; null otherwise. */
  public @Nullable TransactionMark carriedMark() {
    return CarriedMark.of(session);
  }

  /** What has to be known of the open transaction to ask for its fate; costs a round trip. */
  public TransactionMark mark() {
    try {
      return TransactionMark.read(connection());
    } catch (SQLException e) {
      throw new PersistenceException(
          "The transaction's id could not be read: " + e.getMessage(), e);
    }
  }

  /**
   * Asks what has become of another session's transaction, outside of every transaction. A
   * connection that fails is discarded.
   */
  TransactionFate fateOf(TransactionMark mark) {
    Connection connection = connection();
    try {
      TransactionFate fate = TransactionFate.of(connection, mark);
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      return fate;
    } catch (SQLException e) {
      discard(connection, e);
      throw new PersistenceException("The server could not be asked: " + e.getMessage(), e);
    }
  }

  /**
   * Tells what happens to the session's transactions from now on, of which the first one has begun.
   *
   * @param guard is shown what that transaction had managed, if it is rolled back
   */
  public void observe(TransactionEvents events, ReuseGuard guard) {
    onlyInTransaction();
    session.getTransactionCoordinator().addObserver(new Observer(events));
    session
        .getTransactionCoordinator()
        .getLocalSynchronizations()
        .registerSynchronization(new Collector(session, guard));
  }

  /** Tells of the end of the session's transaction only. */
  public void observe(TransactionEvents events) {
    session
        .getTransactionCoordinator()
        .getLocalSynchronizations()
        .registerSynchronization(new Ending(events));
  }

  /** Keeps the session from sending anything once its transaction, which has begun, is over. */
  public void onlyInTransaction() {
    OnlyInTransaction.of(session, this::isBypassed);
  }

  private Connection connection() {
    return logicalConnection().getPhysicalConnection();
  }

  private LogicalConnectionImplementor logicalConnection() {
    return session.getJdbcCoordinator().getLogicalConnection();
  }

  private record Observer(TransactionEvents events) implements TransactionObserver {

    @Override
    public void afterBegin() {
      events.begun();
    }

    @Override
    public void beforeCompletion() {
      events.beforeCommit();
    }

    @Override
    public void afterCompletion(boolean successful, boolean delayed) {
      events.ended(successful);
    }
  }

  private record Ending(TransactionEvents events) implements Synchronization {

    @Override
    public void beforeCompletion() {}

    @Override
    public void afterCompletion(int status) {
      events.ended(status == Status.STATUS_COMMITTED);
    }
  }

  /** Local synchronizations hear of the end before the session is cleared, observers after that. */
  private record Collector(SessionImplementor session, ReuseGuard guard)
      implements Synchronization {

    @Override
    public void beforeCompletion() {}

    @Override
    public void afterCompletion(int status) {
      if (status != Status.STATUS_COMMITTED) {
        guard.collect(session);
      }
    }
  }
}
