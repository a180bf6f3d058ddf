package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.internal.hibernate.HibernateFactory;
import io.rowlock.internal.hibernate.HibernateSession;
import io.rowlock.internal.hibernate.JtaTransactions;
import io.rowlock.internal.hibernate.ReuseGuard;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Transactions of JTA. */
record JtaDriver(HibernateFactory factory, JtaTransactions jta) implements TransactionDriver {

  @Override
  public UnitTransaction begin(
      IsolationLevel level, Deadline deadline, CommitGate gate, ReuseGuard guard) {
    jta.begin();
    HibernateSession session = null;
    try {
      session = factory.open();
      session.observe(gate, guard);
      gate.prepare(session, level, deadline);
      return new GlobalTransaction(session, jta, jta.current());
    } catch (RuntimeException | Error e) {
      jta.rollback(jta.current(), e);
      if (session != null) {
        session.close(e);
      }
      throw e;
    }
  }

  @Override
  public @Nullable Object current() {
    return jta.current();
  }

  private record GlobalTransaction(
      HibernateSession session, JtaTransactions jta, @Nullable Object own)
      implements UnitTransaction {

    /** The function may have left another one on the thread. */
    private boolean isCurrent() {
      return Objects.equals(own, jta.current());
    }

    /** A transaction manager ends it when its time is over, from a thread of its own. */
    @Override
    public boolean isActive() {
      return isCurrent() && jta.isActive();
    }

    @Override
    public boolean isTimedOut() {
      return isCurrent() && jta.isTimedOut();
    }

    /** Flushed here: out of the transaction manager's hands a failure comes without its shape. */
    @Override
    public void commit() {
      session.flush();
      jta.commit();
    }

    @Override
    public void rollback(Throwable first) {
      jta.rollback(own, first);
    }
  }
}
