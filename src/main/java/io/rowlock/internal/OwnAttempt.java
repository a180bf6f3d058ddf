package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.RowlockException;
import io.rowlock.UnitInfo;
import io.rowlock.UnitMisuseException;
import io.rowlock.internal.AttemptOutcome.Failed;
import io.rowlock.internal.AttemptOutcome.Reached;
import io.rowlock.internal.hibernate.HibernateSession;
import io.rowlock.internal.hibernate.JtaTransactions;
import io.rowlock.internal.hibernate.ReuseGuard;
import io.rowlock.internal.hibernate.TransactionEvents;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * An attempt in a transaction that the container has begun for it and will end, which it decides by
 * rules of its own. What has become of the transaction is therefore learnt from the transaction
 * itself:
 *
 * <ul>
 *   <li>a session of Rowlock's own takes part in it, on the same connection: it opens the
 *       transaction and looks at its state on the server;
 *   <li>a first synchronization, registered before the function is called, learns whether it was
 *       committed, and refuses a commit by the function itself;
 *   <li>a last one, registered after the function and so called after everybody's flush, refuses a
 *       COMMIT that the server would answer with ROLLBACK. It is there too when the function has
 *       thrown, since that may commit.
 * </ul>
 */
final class OwnAttempt implements ContainerAttempt {

  private static final System.Logger LOGGER = System.getLogger(OwnAttempt.class.getName());

  private final UnitEngine engine;
  private final JtaTransactions jta;
  private final UnitPlan plan;
  private final IsolationLevel isolation;
  private final UnitInfo info;
  private final Deadline deadline;
  private final CommitGate gate;
  private final ReuseGuard guard;
  private final AfterCommit afterCommit;
  private @Nullable HibernateSession session;
  private @Nullable Object transaction;
  private @Nullable Throwable thrown;
  private @Nullable AttemptOutcome<?> done;
  private boolean functionIsOver;
  private boolean timedOut;

  OwnAttempt(
      UnitEngine engine,
      JtaTransactions jta,
      UnitPlan plan,
      IsolationLevel isolation,
      UnitInfo info,
      Deadline deadline,
      ReuseGuard guard,
      AfterCommit afterCommit) {
    this.engine = engine;
    this.jta = jta;
    this.plan = plan;
    this.isolation = isolation;
    this.info = info;
    this.deadline = deadline;
    this.gate = engine.gate(info);
    this.guard = guard;
    this.afterCommit = afterCommit;
  }

  @Override
  public <T extends @Nullable Object> T work(Callable<T> function) throws Exception {
    HibernateSession control = enter();
    try {
      gate.prepare(control, isolation, deadline);
      gate.guard(control);
      T result = call(function, control);
      done = AttemptOutcome.committed(result);
      functionReturned(result);
      return result;
    } catch (Throwable e) {
      functionThrew(e);
      throw e;
    }
  }

  private HibernateSession enter() {
    if (session != null) {
      throw new UnitMisuseException(
          "Unit of work "
              + info
              + " was called twice in one attempt: something between @RetryTransaction and"
              + " @Transactional repeats the call",
          null);
    }
    if (!jta.isActive()) {
      throw NoTransaction.of(info.name());
    }
    HibernateSession control = engine.factory().open();
    session = control;
    control.onlyInTransaction();
    transaction = jta.current();
    jta.observe(new First());
    return control;
  }

  private <T extends @Nullable Object> T call(Callable<T> function, HibernateSession control)
      throws Exception {
    ActiveUnit unit = engine.unit(control, info, gate::transactionLost, afterCommit::add);
    RunningUnit running = RunningUnit.enter(engine, unit, () -> isolation, gate::nestedFailed);
    try {
      return guard.watchingAllSessions(function);
    } finally {
      running.close();
      unit.end();
    }
  }

  private boolean isCurrent() {
    return Objects.equals(transaction, jta.current());
  }

  private void functionReturned(@Nullable Object result) {
    if (!isCurrent()) {
      throw gate.leftTransaction();
    }
    if (!jta.isActive()) {
      throw gate.timedOut();
    }
    verify(result);
    gate.open();
    functionIsOver = true;
    jta.observe(new Last());
  }

  private void verify(@Nullable Object result) {
    try {
      Asynchronous.refuse(info, result);
      guard.verify();
    } catch (UnitMisuseException e) {
      throw gate.misused(e);
    }
  }

  /** The container may commit all the same; not if the commit was refused already. */
  private void functionThrew(Throwable e) {
    functionIsOver = true;
    thrown = e;
    done = AttemptOutcome.failed(e, Reached.COMMITTED);
    timedOut = isCurrent() && jta.isTimedOut();
    if (timedOut) {
      gate.timedOut(e);
    }
    gate.explain(e);
    try {
      jta.observe(new Last());
    } catch (RuntimeException | Error further) {
      e.addSuppressed(further);
    }
  }

  /** The outcome once the container has returned. */
  <T extends @Nullable Object> AttemptOutcome<T> returned(T result) {
    if (session != null) {
      try {
        gate.verifyCommitted();
      } catch (RowlockException e) {
        return AttemptOutcome.failed(gate.explain(e), gate.reached());
      }
    }
    return AttemptOutcome.committed(result);
  }

  /** The outcome once the container has thrown. */
  <T extends @Nullable Object> AttemptOutcome<T> threw(Throwable e) {
    if (session == null) {
      // there was no transaction: nothing that could be run again
      throw Sneaky.sneak(e);
    }
    Throwable problem = gate.explain(timedOut && thrown != null ? thrown : e);
    if (problem != e && thrown != null && thrown != problem && thrown != problem.getCause()) {
      problem.addSuppressed(thrown);
    }
    return AttemptOutcome.failed(problem, gate.reachedBy(problem));
  }

  /**
   * Settles a failure whose COMMIT was not answered. What the attempt would have answered is what
   * the function answered: interceptors between the two of this unit have failed.
   */
  @SuppressWarnings("unchecked") // it is the answer of the same call
  <T extends @Nullable Object> AttemptOutcome<T> settle(Failed<T> failed) {
    return new LostCommit(engine, plan, info, deadline, gate.mark())
        .settle(failed, isolation, (AttemptOutcome<T>) done);
  }

  /**
   * Closes the session, once the transaction has ended. Where a thread of the transaction manager
   * has ended it, Hibernate has put off what is to be done then, and tells so at the next call.
   */
  void close() {
    HibernateSession control = session;
    if (control != null && !isClosed(control, Level.DEBUG)) {
      isClosed(control, Level.WARNING);
    }
  }

  private static boolean isClosed(HibernateSession control, Level unless) {
    try {
      if (control.isOpen()) {
        control.close();
      }
      return true;
    } catch (RuntimeException e) {
      LOGGER.log(unless, "Closing the entity manager of a unit failed", e);
      return false;
    }
  }

  private final class First implements TransactionEvents {

    @Override
    public void begun() {}

    @Override
    public void beforeCommit() {
      if (!functionIsOver) {
        gate.beforeCommit();
      }
    }

    @Override
    public void ended(boolean committed) {
      gate.ended(committed);
    }
  }

  private final class Last implements TransactionEvents {

    @Override
    public void begun() {}

    @Override
    public void beforeCommit() {
      plan.listener().beforeCommit(info);
      gate.beforeCommit();
    }

    @Override
    public void ended(boolean committed) {}
  }
}
