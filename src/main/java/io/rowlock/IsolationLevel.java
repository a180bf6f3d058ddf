package io.rowlock;

/**
 * The isolation level of a unit's transaction, as <a
 * href="https://www.postgresql.org/docs/current/transaction-iso.html">PostgreSQL defines them</a>.
 * Every operation works under each of them; the stricter ones abort more transactions, which are
 * then run again.
 */
public enum IsolationLevel {

  /**
   * Each statement sees what was committed when it began. The default. Rows that are read without a
   * lock may have changed when they are written.
   */
  READ_COMMITTED("READ COMMITTED"),

  /**
   * All statements see what was committed when the first one began. Writing a row that changed
   * since is a serialization failure (40001). Write skew remains.
   */
  REPEATABLE_READ("REPEATABLE READ"),

  /**
   * The outcome is that of some serial order of the transactions; whatever does not fit one is a
   * serialization failure (40001), which may come as late as the COMMIT.
   */
  SERIALIZABLE("SERIALIZABLE");

  private final String sql;

  IsolationLevel(String sql) {
    this.sql = sql;
  }

  /** The level's name in SQL. */
  public String sql() {
    return sql;
  }
}
