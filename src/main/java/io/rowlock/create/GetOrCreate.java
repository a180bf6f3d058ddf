package io.rowlock.create;

import io.rowlock.lock.LockStrength;
import java.util.Objects;

/**
 * How get-or-create goes about it: by which natural key, and how a row that was found is pinned.
 *
 * <p>Immutable, reusable; safe for use by any thread.
 *
 * @param key the natural key
 * @param pin whether and how strongly a row that was found is locked until the unit ends
 */
public record GetOrCreate(NaturalKey key, Pin pin) {

  private static final GetOrCreate DEFAULTS = new GetOrCreate(NaturalKey.mapped(), Pin.keyShare());

  /** Checks that nothing is null. */
  public GetOrCreate {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(pin, "pin");
  }

  /** By the natural key of the mapping, pinned {@link LockStrength#KEY_SHARE FOR KEY SHARE}. */
  public static GetOrCreate defaults() {
    return DEFAULTS;
  }

  /** By the named attributes, pinned {@link LockStrength#KEY_SHARE FOR KEY SHARE}. */
  public static GetOrCreate by(String... attributes) {
    return new GetOrCreate(NaturalKey.of(attributes), Pin.keyShare());
  }

  /** By the given key, pinned {@link LockStrength#KEY_SHARE FOR KEY SHARE}. */
  public static GetOrCreate by(NaturalKey key) {
    return new GetOrCreate(key, Pin.keyShare());
  }

  /** The same, pinned with the given strength. */
  public GetOrCreate pinned(LockStrength strength) {
    return new GetOrCreate(key, Pin.with(strength));
  }

  /** The same, without a lock: the row may change or vanish as soon as it has been read. */
  public GetOrCreate unpinned() {
    return new GetOrCreate(key, Pin.none());
  }
}
