package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.RowlockListener;
import io.rowlock.UnitFunction;
import io.rowlock.UnitInfo;
import io.rowlock.UnitOfWork;
import io.rowlock.create.NaturalKey;
import io.rowlock.internal.ActiveUnit.Operations;
import io.rowlock.internal.hibernate.CreateOnce;
import io.rowlock.internal.hibernate.HibernateFactory;
import io.rowlock.internal.hibernate.HibernateSession;
import io.rowlock.internal.hibernate.JtaTransactions;
import io.rowlock.internal.hibernate.RowChanges;
import io.rowlock.internal.hibernate.RowLocks;
import jakarta.persistence.EntityManager;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the units of work of one factory. Safe for use by any thread. */
final class UnitEngine {

  private static final String FOREIGN = "transaction begun elsewhere";

  private final HibernateFactory factory;
  private final Settings settings;
  private final RowlockListener listener;
  private final AttemptLoop loop = new AttemptLoop();
  private final TransactionDriver driver;
  private final @Nullable JtaTransactions jta;
  private final @Nullable JoinedCall joined;
  private final Operations operations;

  UnitEngine(HibernateFactory factory, Settings settings, RowlockListener listener) {
    this.factory = factory;
    this.settings = settings;
    this.listener = listener;
    RowLocks locks = new RowLocks();
    this.operations = new Operations(new CreateOnce(), locks, new RowChanges(locks), listener);
    this.jta = factory.jta();
    this.driver = jta == null ? new ResourceLocalDriver(factory) : new JtaDriver(factory, jta);
    this.joined = jta == null ? null : new JoinedCall(this, jta);
  }

  HibernateFactory factory() {
    return factory;
  }

  Settings settings() {
    return settings;
  }

  TransactionDriver driver() {
    return driver;
  }

  /** The transactions of JTA, if they are these. */
  @Nullable JtaTransactions jta() {
    return jta;
  }

  /** The gate of an attempt. */
  CommitGate gate(UnitInfo info) {
    return new CommitGate(info, settings.tracking());
  }

  <T extends @Nullable Object, X extends Exception> T call(
      UnitSpec spec, UnitFunction<T, X> function) throws X {
    RunningUnit running = RunningUnit.of(this);
    if (running != null) {
      return running.join(spec, function);
    }
    if (joined != null && driver.current() != null) {
      return joined.run(spec, function);
    }
    UnitPlan plan = planOf(spec);
    return loop.run(plan, new UnitCall<>(this, plan, isolationOf(spec), function));
  }

  /**
   * The row with the candidate's key, looked for in a statement of its own, without a transaction;
   * null if there is none, or if the call belongs to a transaction.
   */
  <E> @Nullable E find(UnitSpec spec, E candidate, NaturalKey key) {
    if (RunningUnit.of(this) != null
        || (joined != null && driver.current() != null)
        || isolationOf(spec) != IsolationLevel.READ_COMMITTED) {
      return null;
    }
    HibernateSession session = factory.open();
    try {
      E found =
          session.withoutTransaction(manager -> operations.creates().find(manager, candidate, key));
      session.close();
      return found;
    } catch (Throwable e) {
      session.close(e);
      throw e;
    }
  }

  <T extends @Nullable Object> T call(
      UnitSpec spec, ContainerCall<T> call, JtaTransactions transactions) {
    UnitPlan plan = planOf(spec);
    return loop.run(plan, new OwnCall<>(this, transactions, plan, isolationOf(spec), call));
  }

  private UnitPlan planOf(UnitSpec spec) {
    return new UnitPlan(spec.name(), spec.policy(), listener, spec.check());
  }

  private IsolationLevel isolationOf(UnitSpec spec) {
    IsolationLevel requested = spec.requested();
    return requested == null ? settings.isolation() : requested;
  }

  UnitOfWork on(EntityManager entityManager) {
    HibernateSession session = factory.sessionOf(entityManager);
    RunningUnit running = RunningUnit.of(this);
    if (running != null && running.unit().isOn(session)) {
      return running.unit();
    }
    if (!session.isOpen()) {
      throw new IllegalStateException("The EntityManager is closed");
    }
    if (!session.isInTransaction()) {
      throw new IllegalStateException(
          "The EntityManager has no active transaction that it has joined; begin one, or use"
              + " Rowlock.call to have one begun. In a CDI bean, a method that the bean calls on itself is not"
              + " intercepted, so its @Transactional and @RetryTransaction have no effect");
    }
    if (running != null && joined != null) {
      return running.unit().through(session, entityManager);
    }
    return new ActiveUnit(
        operations,
        session,
        entityManager,
        new UnitInfo(FOREIGN, 1, 1),
        failure -> session.markRollbackOnly(),
        afterForeignCommit(session));
  }

  ActiveUnit unit(
      HibernateSession session,
      UnitInfo info,
      Consumer<Throwable> whenLost,
      Consumer<Runnable> afterCommit) {
    return new ActiveUnit(
        operations, session, session.entityManager(), info, whenLost, afterCommit);
  }

  /** Puts work off until a transaction that somebody else began has committed. */
  Consumer<Runnable> afterForeignCommit(HibernateSession session) {
    return work -> {
      AfterCommit after = new AfterCommit();
      after.add(work);
      if (jta == null) {
        session.observe(after);
      } else {
        jta.observe(after);
      }
    };
  }
}
