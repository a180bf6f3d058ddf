package io.rowlock.internal;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** The passing of time, for units and their tests. */
interface Timing {

  /** The time of the machine. */
  Timing SYSTEM = new SystemTiming();

  /** A point in time, in nanoseconds since an arbitrary origin. */
  long nanoTime();

  /** Waits. */
  void pause(Duration pause) throws InterruptedException;

  /** What jitter is drawn from. */
  RandomGenerator random();

  /** See {@link #SYSTEM}. */
  final class SystemTiming implements Timing {

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public void pause(Duration pause) throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      Thread.sleep(pause.toMillis(), pause.toNanosPart() % 1_000_000);
    }

    @Override
    public RandomGenerator random() {
      return ThreadLocalRandom.current();
    }
  }
}
