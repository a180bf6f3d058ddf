package io.rowlock.create;

import io.rowlock.lock.LockStrength;
import java.util.Objects;

/**
 * Whether, and how strongly, a row that was found is locked until the unit of work ends. A row that
 * the unit itself created needs no pin: nobody else sees it before the commit.
 *
 * <p>Immutable; safe for use by any thread.
 */
public sealed interface Pin {

  /**
   * Locked {@link LockStrength#KEY_SHARE FOR KEY SHARE}, the default: the row can be neither
   * deleted nor re-keyed before the unit ends, so rows that refer to it may be inserted; other
   * units can pin it at the same time.
   */
  static Pin keyShare() {
    return Locked.KEY_SHARE;
  }

  /** Locked with the given strength. */
  static Pin with(LockStrength strength) {
    return new Locked(strength);
  }

  /** Not locked: the row may change or vanish as soon as it has been read. */
  static Pin none() {
    return None.INSTANCE;
  }

  /** See {@link #none()}. */
  enum None implements Pin {
    /** The one instance. */
    INSTANCE
  }

  /**
   * See {@link #with(LockStrength)}.
   *
   * @param strength how strongly the row is locked
   */
  record Locked(LockStrength strength) implements Pin {

    static final Locked KEY_SHARE = new Locked(LockStrength.KEY_SHARE);

    /** Checks that the strength is given. */
    public Locked {
      Objects.requireNonNull(strength, "strength");
    }
  }
}
