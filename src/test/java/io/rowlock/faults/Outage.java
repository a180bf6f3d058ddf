package io.rowlock.faults;

/**
 * Whether the database can be reached at all: who has had a call fail meanwhile makes no further
 * one until it can.
 */
final class Outage {

  private static final long LIMIT_MILLIS = 90_000;

  private boolean on;
  private int waiting;

  synchronized void begins() {
    on = true;
  }

  synchronized void ends() {
    on = false;
    notifyAll();
  }

  /** How many wait for its end. */
  synchronized int waiting() {
    return waiting;
  }

  /** Called after each call that has failed. */
  synchronized void awaitEnd() throws InterruptedException {
    waiting++;
    try {
      awaitEnd(System.nanoTime() + LIMIT_MILLIS * 1_000_000);
    } finally {
      waiting--;
    }
  }

  private void awaitEnd(long end) throws InterruptedException {
    while (on) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new AssertionError("An outage does not end");
      }
      wait(left);
    }
  }
}
