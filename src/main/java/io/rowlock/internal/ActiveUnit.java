package io.rowlock.internal;

import io.rowlock.UnitInfo;
import io.rowlock.UnitOfWork;
import io.rowlock.create.GetOrCreate;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.create.InsertIfAbsent;
import io.rowlock.create.InsertResult;
import io.rowlock.create.Upsert;
import io.rowlock.create.UpsertResult;
import io.rowlock.lock.Locking;
import jakarta.persistence.EntityManager;
import java.util.Collection;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A running attempt: hands the operations on to those who know how, while it lasts, on its own
 * thread.
 */
final class ActiveUnit implements UnitOfWork {

  private final EntityManager entityManager;
  private final UnitInfo info;
  private final FailureSink failures;
  private final Thread thread = Thread.currentThread();
  private boolean over;

  /** Is told of every failure of an operation. */
  interface FailureSink {
    void operationFailed(Throwable failure);
  }

  ActiveUnit(EntityManager entityManager, UnitInfo info, FailureSink failures) {
    this.entityManager = entityManager;
    this.info = info;
    this.failures = failures;
  }

  /** Nothing more can be done with it. */
  void end() {
    over = true;
  }

  @Override
  public EntityManager entityManager() {
    checkUsable();
    return entityManager;
  }

  @Override
  public UnitInfo info() {
    return info;
  }

  @Override
  public <E> GetOrCreateResult<E> getOrCreate(E candidate) {
    return getOrCreate(candidate, GetOrCreate.defaults());
  }

  @Override
  public <E> GetOrCreateResult<E> getOrCreate(E candidate, GetOrCreate how) {
    return operation(
        () -> {
          throw new UnsupportedOperationException("getOrCreate");
        });
  }

  @Override
  public <E> InsertResult<E> insertIfAbsent(E candidate) {
    return insertIfAbsent(candidate, InsertIfAbsent.defaults());
  }

  @Override
  public <E> InsertResult<E> insertIfAbsent(E candidate, InsertIfAbsent how) {
    return operation(
        () -> {
          throw new UnsupportedOperationException("insertIfAbsent");
        });
  }

  @Override
  public <E> UpsertResult<E> upsert(E candidate) {
    return upsert(candidate, Upsert.defaults());
  }

  @Override
  public <E> UpsertResult<E> upsert(E candidate, Upsert how) {
    return operation(
        () -> {
          throw new UnsupportedOperationException("upsert");
        });
  }

  @Override
  public <K, E> Map<K, E> lock(Class<E> type, Collection<? extends K> ids) {
    return lock(type, ids, Locking.defaults());
  }

  @Override
  public <K, E> Map<K, E> lock(Class<E> type, Collection<? extends K> ids, Locking how) {
    return operation(
        () -> {
          throw new UnsupportedOperationException("lock");
        });
  }

  @Override
  public <K> Map<K, Long> incrementVersions(Class<?> type, Collection<? extends K> ids) {
    return operation(
        () -> {
          throw new UnsupportedOperationException("incrementVersions");
        });
  }

  private <R> R operation(Supplier<R> operation) {
    checkUsable();
    try {
      return operation.get();
    } catch (RuntimeException | Error e) {
      failures.operationFailed(e);
      throw e;
    }
  }

  private void checkUsable() {
    if (over) {
      throw new IllegalStateException(
          "Unit of work " + info + " is over and was used after its end");
    }
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException(
          "Unit of work "
              + info
              + " belongs to the thread "
              + thread.getName()
              + " and was used on "
              + Thread.currentThread().getName());
    }
  }
}
