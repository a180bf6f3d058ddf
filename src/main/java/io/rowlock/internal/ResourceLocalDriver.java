package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.internal.hibernate.HibernateFactory;
import io.rowlock.internal.hibernate.HibernateSession;
import io.rowlock.internal.hibernate.ReuseGuard;

/** Transactions of the entity manager itself. */
record ResourceLocalDriver(HibernateFactory factory) implements TransactionDriver {

  @Override
  public UnitTransaction begin(
      IsolationLevel level, Deadline deadline, CommitGate gate, ReuseGuard guard) {
    HibernateSession session = factory.open();
    try {
      session.begin();
      session.observe(gate, guard);
      session.prepare(level, deadline.left());
      return new LocalTransaction(session, guard);
    } catch (RuntimeException | Error e) {
      session.rollback(e, guard);
      close(session, e);
      throw e;
    }
  }

  private static void close(HibernateSession session, Throwable first) {
    try {
      session.close();
    } catch (RuntimeException | Error e) {
      first.addSuppressed(e);
    }
  }

  private record LocalTransaction(HibernateSession session, ReuseGuard guard)
      implements UnitTransaction {

    @Override
    public void commit() {
      session.commit();
    }

    @Override
    public void rollback(Throwable first) {
      session.rollback(first, guard);
    }

    @Override
    public void close() {
      session.close();
    }
  }
}
