package io.rowlock.internal;

import io.rowlock.UnitInfo;
import io.rowlock.internal.hibernate.HibernateSession;
import io.rowlock.internal.hibernate.JtaTransactions;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A call of a container inside of a transaction that was active before: never run again on its own.
 * Whether a failure costs that transaction is for the container to say.
 */
final class JoiningCall implements ContainerAttempt {

  private final UnitEngine engine;
  private final JtaTransactions jta;
  private final UnitSpec spec;
  private final @Nullable RunningUnit running;

  JoiningCall(UnitEngine engine, JtaTransactions jta, UnitSpec spec) {
    this.engine = engine;
    this.jta = jta;
    this.spec = spec;
    this.running = RunningUnit.of(engine);
  }

  /**
   * Once the container has marked the transaction for rollback, the unit that it is of will fail.
   */
  <T extends @Nullable Object> T run(ContainerCall<T> call) throws Exception {
    try {
      return call.proceed(this);
    } catch (Throwable e) {
      if (running != null && jta.isDoomed()) {
        running.joinedFailed(e);
      }
      throw e;
    }
  }

  @Override
  public <T extends @Nullable Object> T work(Callable<T> function) throws Exception {
    if (!jta.isActive()) {
      throw NoTransaction.of(spec.name());
    }
    if (running == null) {
      return joinForeign(function);
    }
    running.refuseOtherIsolation(spec);
    return function.call();
  }

  /** Nobody else will look whether that transaction can commit. */
  private <T extends @Nullable Object> T joinForeign(Callable<T> function) throws Exception {
    UnitInfo info = new UnitInfo(spec.name(), 1, 1);
    CommitGate gate = new CommitGate(info);
    boolean doomedBefore = jta.isDoomed();
    HibernateSession session = engine.factory().open();
    session.onlyInTransaction();
    ActiveUnit unit =
        engine.unit(session, info, gate::transactionLost, engine.afterForeignCommit(session));
    try (RunningUnit foreign =
        RunningUnit.enter(engine, unit, session::isolation, gate::nestedFailed)) {
      foreign.refuseOtherIsolation(spec);
      gate.guardJoined(session);
      T result = function.call();
      if (!doomedBefore) {
        gate.open();
      }
      session.close();
      return result;
    } catch (Throwable e) {
      session.close(e);
      throw e;
    } finally {
      unit.end();
    }
  }
}
