package io.rowlock;

import jakarta.persistence.EntityManager;

/**
 * Finds out, in the application's own way, whether a transaction was committed whose COMMIT was not
 * answered: by a row, say, that the unit inserts last under an id that was drawn before. It is
 * asked where PostgreSQL's own answer is not to be had: with {@link CommitTracking#NONE} always,
 * else after a failover or a crash. While PostgreSQL says that the transaction is in progress it is
 * not asked.
 *
 * <p>With {@link CommitTracking#NONE} the server may not have noticed yet that the connection is
 * gone: the transaction can still be open, and commit <em>after</em> a mere look found nothing. So
 * look by a statement that waits for it, for example by inserting the same row: it waits while the
 * other one is undecided, then either fails with a unique violation ({@link
 * CommitOutcome#COMMITTED}) or succeeds ({@link CommitOutcome#ROLLED_BACK}). What the check writes
 * is rolled back.
 *
 * <p>Called on the unit's thread, after its connection was given up; never while it is running.
 */
@FunctionalInterface
public interface CommitCheck {

  /**
   * Answers what has become of the transaction.
   *
   * @param unit the attempt in question
   * @param entityManager a fresh one, in a READ COMMITTED transaction that is rolled back
   *     afterwards
   * @throws Exception if it cannot tell: after a lost connection it is asked again within the
   *     unit's deadline, after everything else the outcome is unknown
   */
  CommitOutcome outcomeOf(UnitInfo unit, EntityManager entityManager) throws Exception;
}
