package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.LockTimeout;
import io.rowlock.lock.LockWait;
import java.util.function.Supplier;
import org.hibernate.HibernateException;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.jdbc.ReturningWork;

/** Bounds how long a locking statement waits. Stateless. */
final class LockWaiting {

  private LockWaiting() {}

  /** Runs the statements under the wait's bound; a bound costs two short statements more. */
  static <T> T bounded(SessionImplementor session, LockWait wait, Supplier<T> statements) {
    if (!(wait instanceof LockWait.AtMost limited)) {
      return statements.get();
    }
    String before =
        inConnection(session, connection -> LockTimeout.lower(connection, limited.limit()));
    T result = statements.get();
    // not after a failure: the transaction is lost then, and the setting with it
    inConnection(session, connection -> LockTimeout.restore(connection, before));
    return result;
  }

  private static String inConnection(SessionImplementor session, ReturningWork<String> work) {
    try {
      return session.doReturningWork(work);
    } catch (HibernateException e) {
      throw session.getExceptionConverter().convert(e);
    }
  }
}
