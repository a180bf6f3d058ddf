package io.rowlock.faults;

/**
 * Counts the steps of all units, so that a fault can be drawn to come at a step rather than at a
 * time.
 */
final class Pulse {

  /** Where a round that does not move any more is given up. */
  private static final long LIMIT_MILLIS = 60_000;

  private long beats;
  private boolean over;

  synchronized void beat() {
    beats++;
    notifyAll();
  }

  synchronized long beats() {
    return beats;
  }

  /** There will be no more steps. */
  synchronized void end() {
    over = true;
    notifyAll();
  }

  synchronized boolean isOver() {
    return over;
  }

  /** Waits for the step with this number; false if there are no more steps. */
  boolean await(long number) throws InterruptedException {
    if (!await(number, LIMIT_MILLIS)) {
      throw new AssertionError("No step " + number + " in a minute: " + beats() + " so far");
    }
    return !isOver();
  }

  /** Waits for the step with this number, or the last one; false if it takes longer. */
  synchronized boolean await(long number, long millis) throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    while (beats < number && !over) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }
}
