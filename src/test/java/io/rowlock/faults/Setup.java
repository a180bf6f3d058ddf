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
 */
record Setup(
    String url,
    int poolSize,
    Duration acquisition,
    RetryPolicy policy,
    Locking locking,
    List<IsolationLevel> levels) {

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
            IsolationLevel.SERIALIZABLE));
  }

  Setup withUrl(String other) {
    return new Setup(other, poolSize, acquisition, policy, locking, levels);
  }

  Setup withPool(int size, Duration wait) {
    return new Setup(url, size, wait, policy, locking, levels);
  }

  Setup withPolicy(RetryPolicy other) {
    return new Setup(url, poolSize, acquisition, other, locking, levels);
  }

  Setup withLocking(Locking other) {
    return new Setup(url, poolSize, acquisition, policy, other, levels);
  }

  Setup withLevels(IsolationLevel... others) {
    return new Setup(url, poolSize, acquisition, policy, locking, List.of(others));
  }
}
