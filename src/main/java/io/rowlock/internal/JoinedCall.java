package io.rowlock.internal;

import io.rowlock.UnitFunction;
import io.rowlock.UnitInfo;
import io.rowlock.internal.hibernate.HibernateSession;
import io.rowlock.internal.hibernate.JtaTransactions;
import org.jspecify.annotations.Nullable;

/**
 * A unit of work inside a transaction of JTA that somebody else began: run once, in a session that
 * joins it; never committed, rolled back or run again from here.
 */
final class JoinedCall {

  private final UnitEngine engine;
  private final JtaTransactions jta;

  JoinedCall(UnitEngine engine, JtaTransactions jta) {
    this.engine = engine;
    this.jta = jta;
  }

  <T extends @Nullable Object, X extends Exception> T run(
      UnitSpec spec, UnitFunction<T, X> function) throws X {
    if (!jta.isActive()) {
      throw new IllegalStateException(
          "Unit of work '"
              + spec.name()
              + "' would join a transaction that has ended already; its manager may have rolled it back when"
              + " its timeout had passed");
    }
    UnitInfo info = new UnitInfo(spec.name(), 1, 1);
    CommitGate gate = new CommitGate(info);
    HibernateSession session = engine.factory().open();
    session.onlyInTransaction();
    ActiveUnit unit =
        engine.unit(session, info, gate::transactionLost, engine.afterForeignCommit(session));
    try (RunningUnit running =
        RunningUnit.enter(engine, unit, session::isolation, gate::nestedFailed)) {
      gate.guardJoined(session);
      T result = running.join(spec, function);
      session.flush();
      gate.open();
      session.close();
      return result;
    } catch (Throwable e) {
      markRollbackOnly(e);
      session.close(e);
      throw e;
    } finally {
      unit.end();
    }
  }

  private void markRollbackOnly(Throwable first) {
    try {
      jta.setRollbackOnly();
    } catch (RuntimeException e) {
      first.addSuppressed(e);
    }
  }
}
