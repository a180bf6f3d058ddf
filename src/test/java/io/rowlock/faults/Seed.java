package io.rowlock.faults;

import java.util.SplittableRandom;

/** Where everything that is drawn comes from: {@code -Drowlock.faults.seed=}, else a new one. */
final class Seed {

  private static final long VALUE = Long.getLong("rowlock.faults.seed", System.nanoTime());

  private Seed() {}

  /** The seed of a round of a fault. */
  static long of(String fault, int round) {
    return mixed(VALUE, fault.hashCode(), round);
  }

  /** A seed made of several numbers; neighbours of a number give nothing alike. */
  static long mixed(long... parts) {
    long seed = 0;
    for (long part : parts) {
      seed = new SplittableRandom(seed ^ part).nextLong();
    }
    return seed;
  }

  /** How to run with it again. */
  static String told() {
    return "-Drowlock.faults.seed=" + VALUE;
  }
}
