package io.rowlock.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for a state, by looking again and again; fails if it does not come. */
public final class Await {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration PAUSE = Duration.ofMillis(2);

  private Await() {}

  /** Waits until the condition holds. */
  public static void until(String state, Callable<Boolean> condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!holds(state, condition)) {
      if (System.nanoTime() > end) {
        throw new AssertionError("Waited " + LIMIT.toSeconds() + " s in vain until " + state);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private static boolean holds(String state, Callable<Boolean> condition) {
    try {
      return condition.call();
    } catch (Exception e) {
      throw new AssertionError("While waiting until " + state, e);
    }
  }
}
