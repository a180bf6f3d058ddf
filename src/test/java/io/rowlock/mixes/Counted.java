package io.rowlock.mixes;

import jakarta.persistence.MappedSuperclass;

/** What both entities have: sums that tell whether each change was made exactly once. */
@MappedSuperclass
abstract class Counted {

  static final String COLUMNS =
      "added int not null, raised int not null, balance int not null, seen int not null, note text";

  /** Added to by upserts. */
  int added;

  /** Raised under a lock. */
  int raised;

  /** Moved from row to row. */
  int balance;

  /** The latest that came in, whatever the order. */
  int seen;

  /** Replaced by upserts. */
  String note;

  abstract Long id();

  abstract String key();

  abstract int version();

  /** Everything there is in the row, as {@link Kind#row} reads it. */
  final String row() {
    return String.join(
        "|", key(), "" + added, "" + raised, "" + balance, "" + seen, "" + note, "" + version());
  }
}
