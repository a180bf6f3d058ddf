package io.rowlock.create;

import java.util.Objects;

/**
 * How insert-if-absent goes about it: by which natural key.
 *
 * <p>Immutable, reusable; safe for use by any thread.
 *
 * @param key the natural key
 */
public record InsertIfAbsent(NaturalKey key) {

  private static final InsertIfAbsent DEFAULTS = new InsertIfAbsent(NaturalKey.mapped());

  /** Checks that the key is given. */
  public InsertIfAbsent {
    Objects.requireNonNull(key, "key");
  }

  /** By the natural key of the mapping. */
  public static InsertIfAbsent defaults() {
    return DEFAULTS;
  }

  /** By the named attributes. */
  public static InsertIfAbsent by(String... attributes) {
    return new InsertIfAbsent(NaturalKey.of(attributes));
  }

  /** By the given key. */
  public static InsertIfAbsent by(NaturalKey key) {
    return new InsertIfAbsent(key);
  }
}
