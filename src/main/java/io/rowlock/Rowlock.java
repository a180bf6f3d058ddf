package io.rowlock;

import io.rowlock.internal.RowlockBuilder;
import io.rowlock.retry.RetryPolicy;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;

/**
 * The entry point: runs units of work on one entity manager factory.
 *
 * <pre>{@code
 * Rowlock rowlock = Rowlock.of(entityManagerFactory);
 * Article article = rowlock.call(unit -> unit.getOrCreate(new Article(slug, title)).entity());
 * }</pre>
 *
 * <p>Make one for each factory and keep it. It owns no resource and needs no closing; once the
 * factory is closed every call fails. Safe for use by any thread.
 */
public interface Rowlock extends UnitOptions {

  /**
   * The Rowlock of a factory, with the settings of its persistence unit.
   *
   * @throws IllegalArgumentException if the factory is not Hibernate's (7.1 or newer), its database
   *     is not PostgreSQL 14 or newer, or one of its {@code rowlock.*} properties is unknown or
   *     malformed
   * @throws IllegalStateException if the factory is closed
   */
  static Rowlock of(EntityManagerFactory factory) {
    return builder(factory).build();
  }

  /** A builder whose settings start from the factory's {@code rowlock.*} properties. */
  static Builder builder(EntityManagerFactory factory) {
    return new RowlockBuilder(factory);
  }

  /**
   * The operations on an entity manager whose transaction somebody else began and will end. Rowlock
   * never reruns, commits or rolls back such a transaction, and never changes its isolation level;
   * a failure that PostgreSQL raised leaves it marked for rollback.
   *
   * @param entityManager an open entity manager of this Rowlock's factory with an active
   *     transaction that it has joined; a container's or a CDI proxy will do
   * @throws IllegalArgumentException if it is not Hibernate's or belongs to another factory
   * @throws IllegalStateException if it is closed or has no active transaction
   */
  UnitOfWork on(EntityManager entityManager);

  /**
   * Settings in code, which win over those of the persistence unit.
   *
   * <p>Not thread-safe.
   */
  interface Builder {

    /**
     * The policy of every unit that does not bring its own. Default: {@link
     * RetryPolicy#defaults()}.
     */
    Builder retry(RetryPolicy policy);

    /** The isolation level of every unit that does not ask for another. Default: READ COMMITTED. */
    Builder isolation(IsolationLevel level);

    /** How the ids of transactions are learnt. Default: {@link CommitTracking#QUERY}. */
    Builder commitTracking(CommitTracking how);

    /**
     * The check of every unit that does not bring its own, see {@link UnitOptions#commitCheck}.
     * Default: none.
     */
    Builder commitCheck(CommitCheck check);

    /** Adds a listener; all of them are told, in the order in which they were added. */
    Builder listener(RowlockListener listener);

    /**
     * Checks the factory and builds.
     *
     * @throws IllegalArgumentException see {@link Rowlock#of(EntityManagerFactory)}
     * @throws IllegalStateException if the factory is closed
     */
    Rowlock build();
  }
}
