package io.rowlock;

import io.rowlock.create.GetOrCreate;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.create.InsertIfAbsent;
import io.rowlock.create.InsertResult;
import io.rowlock.create.Upsert;
import io.rowlock.create.UpsertResult;
import io.rowlock.lock.LockOrder;
import io.rowlock.lock.LockPlan;
import io.rowlock.lock.LockStrength;
import io.rowlock.lock.Locked;
import io.rowlock.lock.Locking;
import jakarta.persistence.EntityManager;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * One running attempt of a unit of work, and what can be done in it. Every operation flushes
 * pending changes first and answers managed entities that show what the database holds.
 *
 * <p>Valid until the attempt ends, and only on the thread that runs it.
 *
 * <p>Each operation throws what the database raised ({@link
 * jakarta.persistence.PersistenceException}); the transaction is then lost and the function should
 * let the exception go. {@link IllegalArgumentException} and {@link UnsupportedMappingException}
 * are raised before any change is made and lose nothing, but for two: that a trigger makes another
 * key of the candidate's, and that a candidate lies outside the predicate of its key, is found out
 * by the insert, whose transaction is then lost too.
 *
 * <p>The operations that create run for their candidates what {@code persist} runs: {@code
 * PrePersist} methods and listeners, interceptor, insert listeners and Bean Validation, whose
 * {@code ConstraintViolationException} leaves as it is. They do so before it is known whether the
 * row exists: the candidate is what would be stored.
 */
public interface UnitOfWork {

  /**
   * The entity manager of this attempt. Its transaction must be neither ended nor begun again by
   * the function, and it must not be closed.
   */
  EntityManager entityManager();

  /** Which attempt this is. */
  UnitInfo info();

  /**
   * Puts work off until the unit has committed: mail, messages, calls to other systems. It runs
   * once, for the attempt that committed, after its COMMIT is known to have succeeded and its
   * connection has gone back, on the unit's thread, before the unit returns; in the order in which
   * it was put off. What an attempt that failed had put off is dropped, and so is that of a unit
   * whose outcome is unknown. A unit that has joined puts it off until the outermost one has
   * committed.
   *
   * <p>The work is outside of the unit: it must not use the unit or its entity manager, and a unit
   * of work that it starts is one of its own. It is not lost with the transaction, but with the
   * process: what must happen belongs in a table, written by the unit.
   *
   * <p>If it throws, the rest runs all the same, and the unit then ends with an {@link
   * AfterCommitException}.
   *
   * <p>In a transaction that Rowlock did not begin, it runs when that has committed, on the thread
   * that commits, possibly with the connection still held: it should not use the database there.
   * What it throws is logged then, since there is nobody to be told.
   *
   * @throws IllegalStateException if the unit is over, or another thread's
   */
  void afterCommit(Runnable work);

  /** {@link #getOrCreate(Object, GetOrCreate)} with {@link GetOrCreate#defaults()}. */
  <E> GetOrCreateResult<E> getOrCreate(E candidate);

  /**
   * Answers the row with the candidate's natural key, and inserts it from the candidate if there is
   * none. However many units do so at once, there is one row and one of them is told that it
   * created it. The content of a row that was there is left alone. One statement, whether the row
   * exists or not; one more for each race lost to another transaction.
   *
   * <p>Blocks while another transaction that inserted, locked or changed the same key is undecided.
   * Under REPEATABLE READ and SERIALIZABLE a row that was committed after the unit's snapshot
   * raises 40001, which reruns the unit.
   *
   * @param candidate a new instance with at least its key set; only its callbacks change it; it is
   *     never managed
   * @throws IllegalArgumentException if the candidate is null or managed, or a key attribute is
   *     null
   * @throws UnsupportedMappingException if the entity has no usable natural key, or its table no
   *     unique index that can arbitrate
   * @throws CreateContentionException if the row was neither found nor inserted ten times in a row
   * @throws jakarta.persistence.PersistenceException with SQLSTATE 23505 if the insert clashes with
   *     another constraint
   */
  <E> GetOrCreateResult<E> getOrCreate(E candidate, GetOrCreate how);

  /** {@link #insertIfAbsent(Object, InsertIfAbsent)} with {@link InsertIfAbsent#defaults()}. */
  <E> InsertResult<E> insertIfAbsent(E candidate);

  /**
   * Inserts the candidate unless a row with its natural key exists. A skipped insert answers no
   * row, and neither reads nor locks the one that is there. One statement.
   *
   * <p>Blocks while another transaction that inserted the same key is undecided, and fails as
   * {@link #getOrCreate(Object, GetOrCreate)} does, but never by contention.
   *
   * @param candidate a new instance with at least its key set; only its callbacks change it; it is
   *     never managed
   */
  <E> InsertResult<E> insertIfAbsent(E candidate, InsertIfAbsent how);

  /** {@link #upsert(Object, Upsert)} with {@link Upsert#defaults()}. */
  <E> UpsertResult<E> upsert(E candidate);

  /**
   * Inserts the candidate or, where a row with its natural key exists, replaces that row's
   * attributes by the candidate's and raises its version. A row that has the values already is not
   * written. The row is locked until the unit ends. One statement; one more for each race lost.
   *
   * <p>Blocks and fails as {@link #getOrCreate(Object, GetOrCreate)} does.
   *
   * @param candidate a new instance with at least its key set; only its callbacks change it; it is
   *     never managed
   */
  <E> UpsertResult<E> upsert(E candidate, Upsert how);

  /** {@link #getOrCreateAll(Collection, GetOrCreate)} with {@link GetOrCreate#defaults()}. */
  <E> List<GetOrCreateResult<E>> getOrCreateAll(Collection<? extends E> candidates);

  /**
   * {@link #getOrCreate(Object, GetOrCreate)} for many candidates at once: two statements for each
   * thousand, and two more whenever a row vanishes in between. More than a thousand take one
   * statement more, which sorts them.
   *
   * <p>The rows are created and pinned in the order of their keys, as the database sorts them: two
   * batches that overlap wait for each other instead of deadlocking, whatever order they were given
   * in and whichever of the keys are new. With a pin stronger than {@link LockStrength#KEY_SHARE}
   * the rows that are there are locked first, by id, so that locks by id can meet the batch too; it
   * then takes the statements of {@link #upsertAll(Collection, Upsert)}. A pin of {@link
   * LockStrength#UPDATE} is the exception: it conflicts with the key share locks of other batches
   * and of foreign keys.
   *
   * @param candidates new instances; those of several entities are created one entity after the
   *     other, in the order of a {@linkplain LockPlan lock plan}. Of several with the same key, as
   *     the database compares keys, the first one is stored if the row is new, and the others are
   *     told that it exists. An empty collection sends no SQL
   * @return the answers in the order of the candidates; those with one key share an entity;
   *     unmodifiable
   * @throws IllegalArgumentException see {@link #getOrCreate(Object, GetOrCreate)}; also if
   *     candidates are of several classes of one hierarchy
   * @throws UnsupportedMappingException see {@link #getOrCreate(Object, GetOrCreate)}; also if the
   *     tables of several entities have no order, see {@link LockPlan}
   */
  <E> List<GetOrCreateResult<E>> getOrCreateAll(
      Collection<? extends E> candidates, GetOrCreate how);

  /**
   * {@link #insertIfAbsentAll(Collection, InsertIfAbsent)} with {@link InsertIfAbsent#defaults()}.
   */
  <E> List<InsertResult<E>> insertIfAbsentAll(Collection<? extends E> candidates);

  /**
   * {@link #insertIfAbsent(Object, InsertIfAbsent)} for many candidates at once: one statement for
   * each thousand, in the order of the keys; see {@link #getOrCreateAll(Collection, GetOrCreate)}.
   *
   * @param candidates new instances; of several with the same key the first one is inserted, if
   *     any, and the others are skipped
   * @return the answers in the order of the candidates; unmodifiable
   */
  <E> List<InsertResult<E>> insertIfAbsentAll(
      Collection<? extends E> candidates, InsertIfAbsent how);

  /** {@link #upsertAll(Collection, Upsert)} with {@link Upsert#defaults()}. */
  <E> List<UpsertResult<E>> upsertAll(Collection<? extends E> candidates);

  /**
   * {@link #upsert(Object, Upsert)} for many candidates at once. The rows that are there are locked
   * first, all of them by one statement and in the order of their ids, as {@link #lock(Class,
   * Collection)} does it; then the others are inserted in the order of their keys. So it can meet
   * locks by id and other batches in any order without deadlocking. Three statements, one of them a
   * savepoint, and for each thousand rows one that changes what differs and, where rows are new,
   * one that inserts them.
   *
   * <p>An insert that meets a row which was committed after the lock makes the batch give back what
   * it has locked and inserted, up to its savepoint, and start over; at most ten times.
   *
   * @param candidates new instances; of several with the same key the last one counts, and all of
   *     them are told its outcome
   * @return the answers in the order of the candidates; those with one key share an entity;
   *     unmodifiable
   */
  <E> List<UpsertResult<E>> upsertAll(Collection<? extends E> candidates, Upsert how);

  /** {@link #lock(Class, Collection, Locking)} with {@link Locking#defaults()}. */
  <K, E> Map<K, E> lock(Class<E> type, Collection<? extends K> ids);

  /**
   * Locks the rows with the given ids, all of them before it answers, ordered by id in SQL. Two
   * units that lock overlapping sets wait for each other instead of deadlocking. The entities show
   * the state under the lock, also where they were managed before.
   *
   * @param type a mapped entity
   * @param ids the ids; one given twice counts once; an empty collection sends no SQL and answers
   *     an empty map
   * @param how strength ({@link LockStrength#NO_KEY_UPDATE} by default) and wait
   * @return the managed entities by their stored ids, in the order in which they were locked;
   *     unmodifiable. Ids that are arrays are keys as Java compares arrays: by identity
   * @throws IllegalArgumentException if the type is not an entity, an id or a part of it is null,
   *     or an id is not of the id's type
   * @throws UnsupportedMappingException if the rows of this entity cannot be locked in one order;
   *     the message says why
   * @throws MissingRowsException if a row does not exist; names all of them. Nothing was changed,
   *     and the transaction can go on
   * @throws LockNotAvailableException if a row was held by another transaction for longer than the
   *     wait allows
   */
  <K, E> Map<K, E> lock(Class<E> type, Collection<? extends K> ids, Locking how);

  /**
   * Locks rows of several entities, all of them before it answers: the entities in the one order of
   * the persistence unit ({@link LockOrder}), whatever order the plan was given in, and the rows of
   * each ordered by id in SQL. Units that lock by plans wait for each other instead of deadlocking,
   * whichever entities and rows they share. One statement for each table; where an entity has
   * several tables, joins or restrictions, further ones to load it.
   *
   * <p>What it does to each entity, and how it fails, is as {@link #lock(Class, Collection,
   * Locking)} says; the missing rows of all entities are named together. The strength holds for
   * every row: ask for {@link LockStrength#UPDATE} where one of them is to be deleted.
   *
   * @return the managed entities by type and stored id, in the order in which they were locked
   * @throws UnsupportedMappingException also if the entities have no order, since their foreign
   *     keys form a cycle and none is declared; the message shows the cycle
   */
  Locked lock(LockPlan plan);

  /** {@link #change(Class, Collection, Locking, Consumer)} with {@link Locking#defaults()}. */
  <K, E> Map<K, E> change(Class<E> type, Collection<? extends K> ids, Consumer<? super E> change);

  /**
   * Locks the rows with the given ids as {@link #lock(Class, Collection, Locking)} does, applies a
   * function to each entity in the order in which they were locked, and writes what it changed,
   * before it answers. One statement to lock, and one for each set of attributes that have changed,
   * for every thousand rows; none for entities that are as they were.
   *
   * <p>What is stored is what a flush would store, and the entities, their versions and the
   * second-level cache are as after a flush, which then finds nothing more to write. Bean
   * Validation runs for all of the changed entities before the first statement. Where a flush would
   * do anything else besides, it is the flush that writes, row by row: for entities with callbacks
   * or listeners of updates, interceptors, several tables, values that an update generates,
   * versions that are no integers or statements of their own; for loaded collections, changed
   * natural ids, columns of a unique index, and associations to what is not stored yet; for tables
   * with triggers of updates; and when inserts or deletes are pending.
   *
   * <p>Other entities that the function changes are written by the next flush, as always.
   *
   * @param type a mapped entity
   * @param ids the ids; one given twice counts once; an empty collection sends no SQL and answers
   *     an empty map
   * @param how strength and wait
   * @param change is called once for each entity, after all rows are locked; what it throws leaves
   *     this method as it is. The entities before it are then changed, and nothing is written: let
   *     the exception leave the unit too
   * @return the managed entities by their stored ids, in the order in which they were locked;
   *     unmodifiable
   * @throws IllegalArgumentException see {@link #lock(Class, Collection, Locking)}; also if the
   *     strength is one of the share locks
   * @throws UnsupportedMappingException see {@link #lock(Class, Collection, Locking)}
   * @throws MissingRowsException if a row does not exist; names all of them. The function was not
   *     called
   * @throws LockNotAvailableException see {@link #lock(Class, Collection, Locking)}
   * @throws jakarta.persistence.OptimisticLockException if a row is not there to be written, though
   *     it is locked: a policy can hide it
   */
  <K, E> Map<K, E> change(
      Class<E> type, Collection<? extends K> ids, Locking how, Consumer<? super E> change);

  /**
   * Raises the version of the rows with the given ids by one: all are locked as by {@link
   * #lock(Class, Collection)}, then one statement updates them. Managed instances show the new
   * version.
   *
   * @param type a mapped entity with an integral {@code @Version} attribute
   * @param ids the ids; one given twice counts once; an empty collection sends no SQL and answers
   *     an empty map
   * @return the new version by id, in the order in which the rows were locked; unmodifiable
   * @throws IllegalArgumentException see {@link #lock(Class, Collection, Locking)}
   * @throws UnsupportedMappingException if the entity has no integral version
   * @throws MissingRowsException see {@link #lock(Class, Collection, Locking)}
   */
  <K> Map<K, Long> incrementVersions(Class<?> type, Collection<? extends K> ids);
}
