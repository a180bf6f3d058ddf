package io.rowlock.internal.hibernate;

import io.rowlock.LockNotAvailableException;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.lock.LockWait;
import io.rowlock.lock.Locking;
import io.rowlock.retry.Failure;
import io.rowlock.retry.FailureKind;
import java.time.Duration;
import java.util.Collection;
import java.util.stream.Collectors;
import org.hibernate.engine.spi.SessionImplementor;

/** Says in words what it means that a lock was not to be had. Stateless. */
final class LockFailures {

  /** How many ids the message shows. */
  private static final int SHOWN = 20;

  private LockFailures() {}

  /**
   * What leaves instead of the failure: the failure itself, unless a lock was waited for in vain.
   * The transaction is marked for rollback then; the server has aborted it.
   */
  static RuntimeException of(
      RuntimeException failure,
      SessionImplementor session,
      LockRequest request,
      Locking how,
      Duration taken) {
    LockTarget target = request.target();
    Failure known = FailureClassifier.classify(failure);
    if (known.kind() != FailureKind.LOCK_NOT_AVAILABLE) {
      return failure;
    }
    session.markForRollbackOnly();
    return new LockNotAvailableException(
        target.entityName(),
        taken,
        "Rows of "
            + target.entityName()
            + " could not be locked ("
            + how.strength()
            + "): at least one was held by another transaction"
            + waited(how.waiting())
            + " (SQLSTATE "
            + known.sqlState()
            + ", after "
            + taken.toMillis()
            + " ms). Wanted were "
            + shown(target, request.wanted().all())
            + ". The transaction is lost; nothing was stored",
        failure);
  }

  private static String waited(LockWait wait) {
    if (wait instanceof LockWait.AtMost limited) {
      return " for longer than the "
          + limited.limit().toMillis()
          + " ms to be waited for each row, or than the unit's deadline allows";
    }
    return wait instanceof LockWait.None
        ? ", and the call was not to wait"
        : " for longer than lock_timeout allows, which the unit's deadline or the server sets";
  }

  private static String shown(LockTarget target, Collection<Object> ids) {
    String first =
        ids.stream().limit(SHOWN).map(target.id()::text).collect(Collectors.joining(", "));
    return ids.size() <= SHOWN ? "the ids " + first : ids.size() + " ids, among them " + first;
  }
}
