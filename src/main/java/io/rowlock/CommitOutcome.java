package io.rowlock;

/** What has become of a transaction whose COMMIT was sent and not answered. */
public enum CommitOutcome {

  /** It was committed, whole. */
  COMMITTED,

  /** Nothing of it was stored, and nothing of it will be. */
  ROLLED_BACK,

  /** It may be either, now or later. */
  UNKNOWN
}
