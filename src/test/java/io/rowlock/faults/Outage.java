package io.rowlock.faults;

/** Whether the database can be reached at all: nobody makes further calls while it cannot. */
final class Outage {

  private static final long LIMIT_MILLIS = 90_000;

  private boolean on;

  synchronized void begins() {
    on = true;
  }

  synchronized void ends() {
    on = false;
    notifyAll();
  }

  /** Called after each call. */
  synchronized void awaitEnd() throws InterruptedException {
    long end = System.nanoTime() + LIMIT_MILLIS * 1_000_000;
    while (on) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new AssertionError("An outage does not end");
      }
      wait(left);
    }
  }
}
