package io.rowlock.internal.hibernate;

/** Is told what happens to a session's transaction, whoever does it. */
public interface TransactionEvents {

  /** A transaction has begun. What this throws fails the begin. */
  void begun();

  /** Everything is flushed and COMMIT comes next. What this throws prevents it. */
  void beforeCommit();

  /** The transaction has ended. */
  void ended(boolean committed);
}
