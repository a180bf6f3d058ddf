package io.rowlock;

import io.rowlock.create.GetOrCreate;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.create.InsertIfAbsent;
import io.rowlock.create.InsertResult;
import io.rowlock.create.Upsert;
import io.rowlock.create.UpsertResult;
import org.jspecify.annotations.Nullable;

/**
 * Runs units of work.
 *
 * <p>A unit is one transaction on one connection with a fresh persistence context. When PostgreSQL
 * aborts it with 40001 or 40P01, it is rolled back and the function is run again from its first
 * line, in a new transaction and a new persistence context.
 *
 * <p>A unit that is started inside a running unit of the same thread and factory joins it: its
 * function gets the same {@link UnitOfWork}, and it is never run again on its own. Whatever leaves
 * its function fails the outermost unit, even if the function around it catches that: the outermost
 * unit is run again if that is a failure to run again after, and ends with a {@link
 * SwallowedFailureException} if not. A unit of another factory or on another thread is a unit of
 * its own, which commits by itself.
 *
 * <p>Where the transactions are those of JTA, a unit that is started in a transaction begun
 * elsewhere joins that one: it runs once, returns before the commit, and marks the transaction for
 * rollback if it fails. A resource-local transaction begun elsewhere cannot be seen from here; see
 * {@link Rowlock#on}.
 *
 * <p>Safe for use by any thread; each unit runs on the thread that calls.
 */
public interface UnitRunner {

  /**
   * Runs the function as a unit of work and answers its result once the transaction has committed.
   *
   * @throws X what the function threw, as it was thrown; the unit was rolled back
   * @throws RetriesExhaustedException if the unit was aborted in every attempt that the policy
   *     allows
   * @throws SwallowedFailureException if the function returned although its transaction can no
   *     longer commit
   * @throws CommitOutcomeUnknownException if the connection was lost during COMMIT, and PostgreSQL
   *     could not say what has become of the transaction
   * @throws AfterCommitException if the unit has committed, and {@linkplain UnitOfWork#afterCommit
   *     work put off until then} has failed
   * @throws TransactionTimeoutException if the transaction manager's timeout passed meanwhile
   * @throws UnitInterruptedException if the thread was interrupted while it waited to run again
   * @throws UnitMisuseException if the function began or ended a transaction itself, used an entity
   *     instance of an attempt that was rolled back, or answered a future that is not done
   * @throws IllegalStateException if the factory is closed, a joined unit asks for another
   *     isolation level than the running transaction has, or the first connection shows that the
   *     server is not PostgreSQL 14 or newer
   */
  <T extends @Nullable Object, X extends Exception> T call(UnitFunction<T, X> function) throws X;

  /**
   * Runs the action as a unit of work; returns once the transaction has committed.
   *
   * @throws X what the action threw; for everything else see {@link #call(UnitFunction)}
   */
  <X extends Exception> void run(UnitAction<X> action) throws X;

  /**
   * {@link #getOrCreate(Object, GetOrCreate)} with {@link GetOrCreate#defaults()}, {@linkplain
   * GetOrCreate#unpinned() unpinned}.
   */
  default <E> GetOrCreateResult<E> getOrCreate(E candidate) {
    return getOrCreate(candidate, GetOrCreate.defaults().unpinned());
  }

  /**
   * One {@link UnitOfWork#getOrCreate(Object, GetOrCreate) get-or-create} as a unit of work of its
   * own. Where the row need not be pinned and the isolation level is READ COMMITTED, it is looked
   * for first: if it is there, that one statement is all that is sent, and no transaction is begun.
   *
   * <p>Inside a running unit, or a transaction of JTA, it takes part in that as {@link
   * #call(UnitFunction)} does.
   *
   * @return the entity, detached unless this took part in a running unit
   * @throws IllegalArgumentException see {@link UnitOfWork#getOrCreate(Object, GetOrCreate)}; the
   *     other exceptions are those of there and of {@link #call(UnitFunction)}
   */
  <E> GetOrCreateResult<E> getOrCreate(E candidate, GetOrCreate how);

  /** {@link #insertIfAbsent(Object, InsertIfAbsent)} with {@link InsertIfAbsent#defaults()}. */
  default <E> InsertResult<E> insertIfAbsent(E candidate) {
    return insertIfAbsent(candidate, InsertIfAbsent.defaults());
  }

  /**
   * One {@link UnitOfWork#insertIfAbsent(Object, InsertIfAbsent) insert-if-absent} as a unit of
   * work of its own.
   *
   * @return the answer, with a detached entity unless this took part in a running unit
   */
  default <E> InsertResult<E> insertIfAbsent(E candidate, InsertIfAbsent how) {
    return call(unit -> unit.insertIfAbsent(candidate, how));
  }

  /** {@link #upsert(Object, Upsert)} with {@link Upsert#defaults()}. */
  default <E> UpsertResult<E> upsert(E candidate) {
    return upsert(candidate, Upsert.defaults());
  }

  /**
   * One {@link UnitOfWork#upsert(Object, Upsert) upsert} as a unit of work of its own.
   *
   * @return the answer, with a detached entity unless this took part in a running unit
   */
  default <E> UpsertResult<E> upsert(E candidate, Upsert how) {
    return call(unit -> unit.upsert(candidate, how));
  }
}
