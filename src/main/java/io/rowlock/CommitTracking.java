package io.rowlock;

/**
 * How Rowlock learns the id of a unit's transaction, by which PostgreSQL can be asked later whether
 * it was committed, should the connection be lost during COMMIT.
 */
public enum CommitTracking {

  /**
   * By the statements of the operations that create or lock rows, where a unit has one; otherwise
   * by one small query right before COMMIT, a round trip. The default.
   */
  QUERY,

  /**
   * The statement that opens the unit has the id assigned: no round trip. Each unit uses up a
   * transaction id then, one that only reads too, and none can run on a standby.
   */
  ASSIGN,

  /**
   * Not at all: only a {@linkplain UnitOptions#commitCheck check of the application's own} can tell
   * the outcome of a COMMIT that was not answered.
   */
  NONE
}
