package io.rowlock.lock;

/**
 * How strongly a row is locked, weakest first. Each strength is one of PostgreSQL's four row-level
 * locks; which of them conflict is laid down in <a
 * href="https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS">PostgreSQL's
 * documentation of row-level locks</a>.
 *
 * <p>Immutable; safe for use by any thread.
 */
public enum LockStrength {

  /**
   * {@code FOR KEY SHARE}: the row can neither be deleted nor change a key, everything else about
   * it can change. It is what a foreign-key check takes on the parent row, so any number of units
   * hold it side by side. Prevents the loss of the row that new child rows are about to refer to.
   */
  KEY_SHARE,

  /**
   * {@code FOR SHARE}: nothing about the row changes until the unit ends. Prevents write skew that
   * rests on the values read. Two units that both hold it and then both write the row deadlock:
   * take {@link #NO_KEY_UPDATE} where a write may follow.
   */
  SHARE,

  /**
   * {@code FOR NO KEY UPDATE}: only this unit may write the row. Prevents lost updates. Inserts of
   * child rows that refer to the row are not blocked. This is the default for locking a known set
   * of rows, and what Hibernate 7 renders for {@code PESSIMISTIC_WRITE}.
   */
  NO_KEY_UPDATE,

  /**
   * {@code FOR UPDATE}: as {@link #NO_KEY_UPDATE}, and foreign-key checks on the row wait too.
   * Needed before the row is deleted, or before a column changes that a foreign key can refer to;
   * otherwise that statement has to raise the lock later, which can deadlock.
   */
  UPDATE
}
