package io.rowlock.internal;

import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.UnitOfWork;
import io.rowlock.create.GetOrCreate;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.create.InsertIfAbsent;
import io.rowlock.create.InsertResult;
import io.rowlock.create.Upsert;
import io.rowlock.create.UpsertResult;
import io.rowlock.internal.hibernate.CreateOnce;
import io.rowlock.internal.hibernate.HibernateSession;
import io.rowlock.internal.hibernate.LostRaces;
import io.rowlock.internal.hibernate.RowChanges;
import io.rowlock.internal.hibernate.RowLocks;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.lock.LockPlan;
import io.rowlock.lock.LockStrength;
import io.rowlock.lock.Locked;
import io.rowlock.lock.Locking;
import io.rowlock.retry.Failure;
import io.rowlock.retry.FailureKind;
import jakarta.persistence.EntityManager;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A running attempt: hands the operations on to those who know how, while it lasts, on its own
 * thread.
 */
final class ActiveUnit implements UnitOfWork {

  private final Operations operations;
  private final EntityManager session;
  private final EntityManager shown;
  private final UnitInfo info;
  private final Consumer<Throwable> whenLost;
  private final Consumer<Runnable> afterCommit;
  private final LostRaces races;
  private final Thread thread = Thread.currentThread();
  private final @Nullable ActiveUnit whole;
  private boolean over;

  /** Those who know how; they are shared by all units of a Rowlock. */
  record Operations(
      CreateOnce creates, RowLocks locks, RowChanges changes, RowlockListener listener) {}

  /**
   * A unit on a session.
   *
   * @param shown the entity manager that the function sees
   * @param whenLost is told of a failure of an operation that has cost the transaction
   * @param afterCommit takes what is put off until the transaction has committed
   */
  ActiveUnit(
      Operations operations,
      HibernateSession session,
      EntityManager shown,
      UnitInfo info,
      Consumer<Throwable> whenLost,
      Consumer<Runnable> afterCommit) {
    this(operations, session, shown, info, whenLost, afterCommit, null);
  }

  private ActiveUnit(
      Operations operations,
      HibernateSession session,
      EntityManager shown,
      UnitInfo info,
      Consumer<Throwable> whenLost,
      Consumer<Runnable> afterCommit,
      @Nullable ActiveUnit whole) {
    this.operations = operations;
    this.session = session.entityManager();
    this.shown = shown;
    this.info = info;
    this.whenLost = whenLost;
    this.afterCommit = afterCommit;
    this.races = (entity, round) -> operations.listener().onLostRace(info, entity, round);
    this.whole = whole;
  }

  /** The same unit on another session that takes part in its transaction; ends with it. */
  ActiveUnit through(HibernateSession other, EntityManager shownInstead) {
    return new ActiveUnit(operations, other, shownInstead, info, whenLost, afterCommit, this);
  }

  /** Nothing more can be done with it. */
  void end() {
    over = true;
  }

  /** Whether its operations go to that session. */
  boolean isOn(HibernateSession other) {
    return session == other.entityManager();
  }

  @Override
  public EntityManager entityManager() {
    checkUsable();
    return shown;
  }

  @Override
  public UnitInfo info() {
    return info;
  }

  @Override
  public void afterCommit(Runnable work) {
    checkUsable();
    afterCommit.accept(Objects.requireNonNull(work, "work"));
  }

  @Override
  public <E> GetOrCreateResult<E> getOrCreate(E candidate) {
    return getOrCreate(candidate, GetOrCreate.defaults());
  }

  @Override
  public <E> GetOrCreateResult<E> getOrCreate(E candidate, GetOrCreate how) {
    return operation(() -> operations.creates().getOrCreate(session, candidate, how, races));
  }

  @Override
  public <E> InsertResult<E> insertIfAbsent(E candidate) {
    return insertIfAbsent(candidate, InsertIfAbsent.defaults());
  }

  @Override
  public <E> InsertResult<E> insertIfAbsent(E candidate, InsertIfAbsent how) {
    return operation(() -> operations.creates().insertIfAbsent(session, candidate, how, races));
  }

  @Override
  public <E> UpsertResult<E> upsert(E candidate) {
    return upsert(candidate, Upsert.defaults());
  }

  @Override
  public <E> UpsertResult<E> upsert(E candidate, Upsert how) {
    return operation(() -> operations.creates().upsert(session, candidate, how, races));
  }

  @Override
  public <E> List<GetOrCreateResult<E>> getOrCreateAll(Collection<? extends E> candidates) {
    return getOrCreateAll(candidates, GetOrCreate.defaults());
  }

  @Override
  public <E> List<GetOrCreateResult<E>> getOrCreateAll(
      Collection<? extends E> candidates, GetOrCreate how) {
    return operation(() -> operations.creates().all().getOrCreate(session, candidates, how, races));
  }

  @Override
  public <E> List<InsertResult<E>> insertIfAbsentAll(Collection<? extends E> candidates) {
    return insertIfAbsentAll(candidates, InsertIfAbsent.defaults());
  }

  @Override
  public <E> List<InsertResult<E>> insertIfAbsentAll(
      Collection<? extends E> candidates, InsertIfAbsent how) {
    return operation(
        () -> operations.creates().all().insertIfAbsent(session, candidates, how, races));
  }

  @Override
  public <E> List<UpsertResult<E>> upsertAll(Collection<? extends E> candidates) {
    return upsertAll(candidates, Upsert.defaults());
  }

  @Override
  public <E> List<UpsertResult<E>> upsertAll(Collection<? extends E> candidates, Upsert how) {
    return operation(() -> operations.creates().all().upsert(session, candidates, how, races));
  }

  @Override
  public <K, E> Map<K, E> lock(Class<E> type, Collection<? extends K> ids) {
    return lock(type, ids, Locking.defaults());
  }

  @Override
  public <K, E> Map<K, E> lock(Class<E> type, Collection<? extends K> ids, Locking how) {
    return operation(() -> operations.locks().lock(session, type, ids, how));
  }

  @Override
  public Locked lock(LockPlan plan) {
    return operation(() -> operations.locks().lock(session, plan));
  }

  @Override
  public <K, E> Map<K, E> change(
      Class<E> type, Collection<? extends K> ids, Consumer<? super E> change) {
    return change(type, ids, Locking.defaults(), change);
  }

  @Override
  public <K, E> Map<K, E> change(
      Class<E> type, Collection<? extends K> ids, Locking how, Consumer<? super E> change) {
    Objects.requireNonNull(change, "change");
    if (how.strength().compareTo(LockStrength.NO_KEY_UPDATE) < 0) {
      throw new IllegalArgumentException(
          "Rows that are to be changed are locked with NO_KEY_UPDATE or UPDATE, not "
              + how.strength());
    }
    Map<K, E> locked = lock(type, ids, how);
    // not within an operation: what the function throws is its own
    locked.values().forEach(change);
    operation(
        () -> {
          operations.changes().write(session, type, locked);
          return null;
        });
    return locked;
  }

  @Override
  public <K> Map<K, Long> incrementVersions(Class<?> type, Collection<? extends K> ids) {
    return operation(() -> operations.locks().incrementVersions(session, type, ids));
  }

  private <R> R operation(Supplier<R> operation) {
    checkUsable();
    try {
      return operation.get();
    } catch (RuntimeException | Error e) {
      Failure failure = FailureClassifier.classify(e);
      if (failure.sqlState() != null || failure.kind() != FailureKind.OTHER) {
        whenLost.accept(e);
      }
      throw e;
    }
  }

  private void checkUsable() {
    if (over || (whole != null && whole.over)) {
      throw new IllegalStateException(
          "Unit of work " + info + " is over and was used after its end");
    }
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException(
          "Unit of work "
              + info
              + " belongs to thread "
              + thread.getName()
              + " and was used by "
              + Thread.currentThread().getName());
    }
  }
}
