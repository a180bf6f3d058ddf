package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.UnitFunction;
import io.rowlock.UnitInfo;
import io.rowlock.internal.AttemptOutcome.Failed;
import io.rowlock.internal.TransactionDriver.UnitTransaction;
import io.rowlock.internal.hibernate.ReuseGuard;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one unit of work whose function gets a transaction and a session of its own each
 * time. For the thread that runs the unit.
 *
 * @param <T> the result's type
 */
final class UnitCall<T extends @Nullable Object> implements Attempt<T> {

  private static final System.Logger LOGGER = System.getLogger(UnitCall.class.getName());

  private final UnitEngine engine;
  private final UnitPlan plan;
  private final IsolationLevel isolation;
  private final UnitFunction<T, ?> function;
  private final ReuseGuard guard;
  private final AfterCommit afterCommit = new AfterCommit();

  UnitCall(
      UnitEngine engine, UnitPlan plan, IsolationLevel isolation, UnitFunction<T, ?> function) {
    this.engine = engine;
    this.plan = plan;
    this.isolation = isolation;
    this.function = function;
    this.guard = engine.factory().reuseGuard();
  }

  @Override
  public AttemptOutcome<T> run(UnitInfo info, Deadline deadline) {
    CommitGate gate = engine.gate(info);
    afterCommit.clear();
    UnitTransaction transaction;
    try {
      transaction = engine.driver().begin(isolation, deadline, gate, guard);
    } catch (RuntimeException | Error e) {
      return AttemptOutcome.failed(e, gate.reached());
    }
    AttemptOutcome<T> done = null;
    try {
      gate.guard(transaction.session());
      done = AttemptOutcome.committed(work(info, transaction, gate));
      plan.listener().beforeCommit(info);
      if (!transaction.isActive()) {
        throw transaction.isTimedOut() ? gate.timedOut() : gate.endedTooEarly();
      }
      gate.open();
      transaction.commit();
      gate.verifyCommitted();
      close(transaction);
      return done;
    } catch (Throwable e) {
      Throwable problem = gate.explain(transaction.isTimedOut() ? gate.timedOut(e) : e);
      transaction.rollback(problem);
      transaction.session().close(problem);
      AttemptOutcome<T> outcome =
          new LostCommit(engine, plan, info, deadline, gate.mark())
              .settle(new Failed<>(problem, gate.reachedBy(problem)), isolation, done);
      guard.attemptFailed(
          info, outcome instanceof Failed<T> failed && plan.mayRunAgain(info, failed));
      return outcome;
    }
  }

  @Override
  public @Nullable Throwable afterCommit() {
    return afterCommit.run();
  }

  /** It has committed, whether or not the session closes. */
  private static void close(UnitTransaction transaction) {
    try {
      transaction.session().close();
    } catch (RuntimeException e) {
      LOGGER.log(System.Logger.Level.WARNING, "Closing the entity manager of a unit failed", e);
    }
  }

  private T work(UnitInfo info, UnitTransaction transaction, CommitGate gate) throws Exception {
    ActiveUnit unit =
        engine.unit(transaction.session(), info, gate::transactionLost, afterCommit::add);
    try (RunningUnit running =
        RunningUnit.enter(engine, unit, () -> isolation, gate::nestedFailed)) {
      T result = guard.watching(() -> function.apply(running.unit()));
      Asynchronous.refuse(info, result);
      guard.verify();
      return result;
    } finally {
      unit.end();
    }
  }
}
