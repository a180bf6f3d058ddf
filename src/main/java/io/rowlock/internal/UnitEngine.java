package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.RowlockListener;
import io.rowlock.UnitFunction;
import io.rowlock.UnitInfo;
import io.rowlock.UnitOfWork;
import io.rowlock.internal.hibernate.HibernateFactory;
import io.rowlock.internal.hibernate.HibernateSession;
import io.rowlock.internal.hibernate.JtaTransactions;
import io.rowlock.internal.postgres.FailureClassifier;
import jakarta.persistence.EntityManager;
import org.jspecify.annotations.Nullable;

/** Runs the units of work of one factory. Safe for use by any thread. */
final class UnitEngine {

  private static final String FOREIGN = "transaction begun elsewhere";

  private final HibernateFactory factory;
  private final Settings settings;
  private final RowlockListener listener;
  private final AttemptLoop loop = new AttemptLoop();
  private final TransactionDriver driver;

  UnitEngine(HibernateFactory factory, Settings settings, RowlockListener listener) {
    this.factory = factory;
    this.settings = settings;
    this.listener = listener;
    this.driver = new ResourceLocalDriver(factory);
  }

  Settings settings() {
    return settings;
  }

  <T extends @Nullable Object, X extends Exception> T call(
      UnitSpec spec, UnitFunction<T, X> function) throws X {
    RunningUnit running = RunningUnit.of(factory.identity());
    if (running != null) {
      return running.join(spec, function);
    }
    return run(spec, new FunctionAttempt<>(factory, driver, listener, isolationOf(spec), function));
  }

  <T extends @Nullable Object> T run(UnitSpec spec, Attempt<T> attempt) {
    return loop.run(new UnitPlan(spec.name(), spec.policy(), listener), attempt);
  }

  IsolationLevel isolationOf(UnitSpec spec) {
    IsolationLevel requested = spec.requested();
    return requested == null ? settings.isolation() : requested;
  }

  HibernateFactory factory() {
    return factory;
  }

  RowlockListener listener() {
    return listener;
  }

  /**
   * The transactions of JTA.
   *
   * @throws IllegalStateException if the factory's transactions are its own
   */
  JtaTransactions jta() {
    return factory.jta();
  }

  UnitOfWork on(EntityManager entityManager) {
    HibernateSession session = factory.sessionOf(entityManager);
    RunningUnit running = RunningUnit.of(factory.identity());
    if (running != null && running.unit().entityManager() == session.entityManager()) {
      return running.unit();
    }
    if (!session.isOpen()) {
      throw new IllegalStateException("The EntityManager is closed");
    }
    if (!session.isInTransaction()) {
      throw new IllegalStateException(
          "The EntityManager has no active transaction that it has joined; begin one, or use"
              + " Rowlock.call to have one begun");
    }
    if (running != null && factory.isJta()) {
      return running.through(session.entityManager());
    }
    return new ActiveUnit(
        session.entityManager(),
        new UnitInfo(FOREIGN, 1, 1),
        failure -> {
          if (FailureClassifier.classify(failure).sqlState() != null) {
            session.markRollbackOnly();
          }
        });
  }
}
