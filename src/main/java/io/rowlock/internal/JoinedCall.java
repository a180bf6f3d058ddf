package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.SwallowedFailureException;
import io.rowlock.UnitInfo;
import io.rowlock.internal.hibernate.HibernateSession;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A call inside of a transaction that was active before: never run again on its own. */
final class JoinedCall implements ContainerAttempt {

  private final UnitEngine engine;
  private final UnitSpec spec;
  private final @Nullable RunningUnit running;

  JoinedCall(UnitEngine engine, UnitSpec spec) {
    this.engine = engine;
    this.spec = spec;
    this.running = RunningUnit.of(engine.factory().identity());
  }

  /**
   * Once the container has marked the transaction for rollback, the unit that began it will fail
   * for this.
   */
  <T extends @Nullable Object> T run(ContainerCall<T> call) throws Exception {
    try {
      return call.proceed(this);
    } catch (Throwable e) {
      if (running != null && engine.jta().isDoomed()) {
        running.nestedFailed(e);
      }
      throw e;
    }
  }

  @Override
  public <T extends @Nullable Object> T work(Callable<T> function) throws Exception {
    if (!engine.jta().isActive()) {
      throw NoTransaction.of(spec.name());
    }
    if (running != null) {
      running.checkIsolation(spec);
      return function.call();
    }
    return inForeignTransaction(function);
  }

  /** Nobody else will look whether it can commit. */
  private <T extends @Nullable Object> T inForeignTransaction(Callable<T> function)
      throws Exception {
    HibernateSession session = engine.factory().open();
    try {
      checkIsolation(session);
      boolean lostBefore = isLost(session);
      T result = function.call();
      if (!lostBefore && isLost(session)) {
        throw new SwallowedFailureException(
            new UnitInfo(spec.name(), 1, 1),
            "the transaction that it had joined can no longer commit",
            session.probe());
      }
      return result;
    } finally {
      session.close();
    }
  }

  private void checkIsolation(HibernateSession session) {
    IsolationLevel requested = spec.requested();
    if (requested == null) {
      return;
    }
    IsolationLevel actual = session.isolation();
    if (actual != requested) {
      throw new IllegalStateException(
          "Unit of work '"
              + spec.name()
              + "' asks for "
              + requested.sql()
              + " but would join a transaction that was begun elsewhere and runs under "
              + actual.sql()
              + "; ask for it where that transaction begins, or use @Transactional(REQUIRES_NEW)");
    }
  }

  private boolean isLost(HibernateSession session) {
    return engine.jta().isDoomed()
        || switch (session.serverState()) {
          case FAILED -> true;
          case UNKNOWN -> session.probe() != null;
          case NONE, OPEN -> false;
        };
  }
}
