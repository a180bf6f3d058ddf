package io.rowlock.faults;

/** Where everything that is drawn comes from: {@code -Drowlock.faults.seed=}, else a new one. */
final class Seed {

  private static final long VALUE = Long.getLong("rowlock.faults.seed", System.nanoTime());

  private Seed() {}

  /** The seed of a round of a fault. */
  static long of(String fault, int round) {
    return VALUE * 31 + fault.hashCode() * 1_000_003L + round;
  }

  /** How to run with it again. */
  static String told() {
    return "-Drowlock.faults.seed=" + VALUE;
  }
}
