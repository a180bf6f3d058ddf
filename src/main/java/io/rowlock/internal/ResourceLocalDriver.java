package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.internal.hibernate.HibernateFactory;
import io.rowlock.internal.hibernate.HibernateSession;
import io.rowlock.internal.hibernate.ReuseGuard;
import org.jspecify.annotations.Nullable;

/** Transactions of the entity manager itself. */
record ResourceLocalDriver(HibernateFactory factory) implements TransactionDriver {

  @Override
  public UnitTransaction begin(
      IsolationLevel level, Deadline deadline, CommitGate gate, ReuseGuard guard) {
    HibernateSession session = factory.open();
    try {
      session.begin();
      session.observe(gate, guard);
      gate.prepare(session, level, deadline);
      return new LocalTransaction(session, guard);
    } catch (RuntimeException | Error e) {
      session.rollback(e, guard);
      session.close(e);
      throw e;
    }
  }

  /** None that could be seen: it would be an entity manager's, not the thread's. */
  @Override
  public @Nullable Object current() {
    return null;
  }

  private record LocalTransaction(HibernateSession session, ReuseGuard guard)
      implements UnitTransaction {

    /** Nobody ends it behind the gate's back. */
    @Override
    public boolean isActive() {
      return true;
    }

    @Override
    public boolean isTimedOut() {
      return false;
    }

    @Override
    public void commit() {
      session.commit();
    }

    @Override
    public void rollback(Throwable first) {
      session.rollback(first, guard);
    }
  }
}
