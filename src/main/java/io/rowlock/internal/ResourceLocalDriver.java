package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.internal.hibernate.HibernateFactory;
import io.rowlock.internal.hibernate.HibernateSession;

/** Transactions of the entity manager itself. */
record ResourceLocalDriver(HibernateFactory factory) implements TransactionDriver {

  @Override
  public UnitTransaction begin(IsolationLevel level, Deadline deadline, CommitGate gate) {
    HibernateSession session = factory.open();
    try {
      session.begin();
      session.observe(gate);
      session.prepare(level, deadline.left());
      return new LocalTransaction(session);
    } catch (RuntimeException | Error e) {
      session.rollback(e);
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

  private record LocalTransaction(HibernateSession session) implements UnitTransaction {

    @Override
    public void commit() {
      session.commit();
    }

    @Override
    public void rollback(Throwable first) {
      session.rollback(first);
    }

    @Override
    public void close() {
      session.close();
    }
  }
}
