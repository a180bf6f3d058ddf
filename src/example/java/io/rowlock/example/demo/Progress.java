package io.rowlock.example.demo;

import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Says every second how far a job is, until it is closed. Safe for use by any thread. */
final class Progress implements AutoCloseable {

  private final LongAdder done = new LongAdder();
  private final long total;
  private final String what;
  private final long start = System.nanoTime();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

  private final ScheduledFuture<?> ticks;

  /** Begins a job of so many steps. */
  Progress(long total, String what) {
    this.total = total;
    this.what = what;
    ticks = clock.scheduleAtFixedRate(this::say, 1, 1, TimeUnit.SECONDS);
  }

  void add(int steps) {
    done.add(steps);
  }

  /** What was done since the start, and how fast. */
  String summary() {
    return String.format(
        Locale.ROOT, "%,d %s in %.1f s, %,.0f a second", done.sum(), what, seconds(), rate());
  }

  private double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }

  private double rate() {
    return done.sum() / seconds();
  }

  private void say() {
    Console.line(
        "  %3d%%  %,d of %,d %s, %,.0f a second",
        100 * done.sum() / total, done.sum(), total, what, rate());
  }

  @Override
  public void close() {
    ticks.cancel(false);
    clock.shutdown();
  }
}
