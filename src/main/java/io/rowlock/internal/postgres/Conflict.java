package io.rowlock.internal.postgres;

/**
 * Which constraints an insert gives way to.
 *
 * <p>A row with the same key often agrees in what other constraints make unique, an assigned id for
 * one. Of two that are inserted at once, both have looked at the key's index and found nothing when
 * the one that comes second meets the first in another index: a failure, where only the key
 * arbitrates, for a row that is there.
 */
public enum Conflict {
  /** The key's only: a clash with another constraint is a failure that names it. */
  KEY,
  /** Any: nothing is inserted then, and which one it was is not told. */
  ANY
}
