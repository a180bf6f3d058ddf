package io.rowlock.retry;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * The pause before a unit of work is run again: exponential, with full jitter. Before attempt
 * <i>n</i> + 1 it is drawn evenly from zero to {@code min(max, initial · 2^(n-1))}; the randomness
 * keeps the losers of one conflict from meeting again.
 *
 * <p>Immutable; safe for use by any thread.
 *
 * @param initial the longest pause after the first failed attempt; zero stands for no pause at all
 * @param max the longest pause after any attempt; at least {@code initial}
 */
public record Backoff(Duration initial, Duration max) {

  private static final Backoff DEFAULTS =
      new Backoff(Duration.ofMillis(10), Duration.ofMillis(500));

  /** Doublings after which every bound that fits a {@code long} of nanoseconds is reached. */
  private static final int MAX_DOUBLINGS = 62;

  /** Checks that neither pause is negative and that they are in order. */
  public Backoff {
    Objects.requireNonNull(initial, "initial");
    Objects.requireNonNull(max, "max");
    if (initial.isNegative()) {
      throw new IllegalArgumentException(
          "A backoff cannot start with a negative pause: " + initial);
    }
    if (max.compareTo(initial) < 0) {
      throw new IllegalArgumentException(
          "A backoff's longest pause ("
              + max
              + ") is shorter than its first one ("
              + initial
              + ")");
    }
    if (max.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException("A backoff's longest pause is over a day: " + max);
    }
  }

  /** From 10 milliseconds to half a second. */
  public static Backoff defaults() {
    return DEFAULTS;
  }

  /** No pause: for tests, and for conflicts that cannot meet again. */
  public static Backoff none() {
    return new Backoff(Duration.ZERO, Duration.ZERO);
  }

  /** The longest pause after the given failed attempt, counted from one. */
  public Duration bound(int failedAttempt) {
    if (failedAttempt < 1) {
      throw new IllegalArgumentException("Attempts are counted from one: " + failedAttempt);
    }
    long nanos = initial.toNanos();
    int doublings = Math.min(failedAttempt - 1, MAX_DOUBLINGS);
    long limit = max.toNanos();
    for (int i = 0; i < doublings && nanos < limit; i++) {
      nanos = nanos > limit / 2 ? limit : nanos * 2;
    }
    return Duration.ofNanos(Math.min(nanos, limit));
  }

  /** A pause drawn for the given failed attempt, counted from one. */
  public Duration pause(int failedAttempt, RandomGenerator random) {
    long bound = bound(failedAttempt).toNanos();
    return bound == 0 ? Duration.ZERO : Duration.ofNanos(random.nextLong(bound + 1));
  }
}
