package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.RowlockListener;
import io.rowlock.UnitFunction;
import io.rowlock.UnitInfo;
import io.rowlock.internal.TransactionDriver.UnitTransaction;
import io.rowlock.internal.hibernate.HibernateFactory;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a function, in a transaction and a session of its own.
 *
 * @param <T> the result's type
 */
final class FunctionAttempt<T extends @Nullable Object> implements Attempt<T> {

  private static final System.Logger LOGGER = System.getLogger(FunctionAttempt.class.getName());

  private final HibernateFactory factory;
  private final TransactionDriver driver;
  private final RowlockListener listener;
  private final IsolationLevel isolation;
  private final UnitFunction<T, ?> function;

  FunctionAttempt(
      HibernateFactory factory,
      TransactionDriver driver,
      RowlockListener listener,
      IsolationLevel isolation,
      UnitFunction<T, ?> function) {
    this.factory = factory;
    this.driver = driver;
    this.listener = listener;
    this.isolation = isolation;
    this.function = function;
  }

  @Override
  public AttemptOutcome<T> run(UnitInfo info, Deadline deadline) {
    CommitGate gate = new CommitGate(info);
    UnitTransaction transaction;
    try {
      transaction = driver.begin(isolation, deadline, gate);
    } catch (RuntimeException | Error e) {
      return AttemptOutcome.failed(e, gate.reached());
    }
    AttemptOutcome<T> outcome = work(info, transaction, gate);
    close(transaction);
    return outcome;
  }

  private AttemptOutcome<T> work(UnitInfo info, UnitTransaction transaction, CommitGate gate) {
    try {
      gate.guard(transaction.session());
      T result = apply(info, transaction, gate);
      listener.beforeCommit(info);
      gate.open();
      transaction.commit();
      gate.verifyCommitted();
      return AttemptOutcome.committed(result);
    } catch (Throwable e) {
      Throwable problem = gate.explain(e);
      transaction.rollback(problem);
      return AttemptOutcome.failed(problem, gate.reached());
    }
  }

  private T apply(UnitInfo info, UnitTransaction transaction, CommitGate gate) throws Exception {
    ActiveUnit unit =
        new ActiveUnit(transaction.session().entityManager(), info, gate::operationFailed);
    try (RunningUnit running = RunningUnit.enter(factory.identity(), unit, isolation, gate)) {
      return function.apply(running.unit());
    } finally {
      unit.end();
    }
  }

  private static void close(UnitTransaction transaction) {
    try {
      transaction.close();
    } catch (RuntimeException e) {
      LOGGER.log(System.Logger.Level.WARNING, "Closing the entity manager of a unit failed", e);
    }
  }
}
