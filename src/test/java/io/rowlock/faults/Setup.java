package io.rowlock.faults;

import io.rowlock.IsolationLevel;
import io.rowlock.lock.Locking;
import io.rowlock.retry.FailureKind;
import io.rowlock.retry.RetryPolicy;
import java.time.Duration;
import java.util.List;

/**
 * How the application is set up while a fault is injected.
 *
 * @param url the database, directly or through a proxy
 * @param poolSize how many connections the pool may have
 * @param acquisition how long it waits for one
 * @param policy when a unit is run again
 * @param locking how accounts are locked
 * @param levels the isolation levels that units are drawn from
 * @param tracking how the transaction's id is learnt: {@code rowlock.commit-tracking}
 * @param ownCheck whether the application looks for itself what became of a COMMIT
 */
record Setup(
    String url,
    int poolSize,
    Duration acquisition,
    RetryPolicy policy,
    Locking locking,
    List<IsolationLevel> levels,
    String tracking,
    boolean ownCheck) {

  /** Mostly READ COMMITTED; lock timeouts and optimistic locks are run again, too. */
  static Setup of(OwnServer server) {
    return new Setup(
        OwnServer.url(server.port()),
        8,
        Duration.ofSeconds(10),
        RetryPolicy.defaults()
            .alsoAfter(FailureKind.LOCK_NOT_AVAILABLE)
            .alsoAfter(FailureKind.OPTIMISTIC_LOCK),
        Locking.defaults(),
        List.of(
            IsolationLevel.READ_COMMITTED,
            IsolationLevel.READ_COMMITTED,
            IsolationLevel.READ_COMMITTED,
            IsolationLevel.REPEATABLE_READ,
            IsolationLevel.SERIALIZABLE),
        "query",
        false);
  }

  Setup withUrl(String other) {
    return new Setup(other, poolSize, acquisition, policy, locking, levels, tracking, ownCheck);
  }

  Setup withPool(int size, Duration wait) {
    return new Setup(url, size, wait, policy, locking, levels, tracking, ownCheck);
  }

  Setup withPolicy(RetryPolicy other) {
    return new Setup(url, poolSize, acquisition, other, locking, levels, tracking, ownCheck);
  }

  Setup withLocking(Locking other) {
    return new Setup(url, poolSize, acquisition, policy, other, levels, tracking, ownCheck);
  }

  Setup withLevels(IsolationLevel... others) {
    return new Setup(
        url, poolSize, acquisition, policy, locking, List.of(others), tracking, ownCheck);
  }

  Setup withTracking(String other) {
    return new Setup(url, poolSize, acquisition, policy, locking, levels, other, ownCheck);
  }

  Setup withOwnCheck() {
    return new Setup(url, poolSize, acquisition, policy, locking, levels, tracking, true);
  }
}
