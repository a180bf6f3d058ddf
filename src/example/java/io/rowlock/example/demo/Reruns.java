package io.rowlock.example.demo;

import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.retry.Failure;
import io.rowlock.retry.FailureKind;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what happens to units of work. */
final class Reruns implements RowlockListener {

  private final AtomicInteger deadlocks = new AtomicInteger();
  private final AtomicInteger reruns = new AtomicInteger();

  /** How many units were a deadlock's victim. */
  int deadlocks() {
    return deadlocks.get();
  }

  /** How often a unit was run again. */
  int reruns() {
    return reruns.get();
  }

  @Override
  public void onAttemptFailed(UnitInfo unit, Throwable problem, Failure failure) {
    if (failure.kind() == FailureKind.DEADLOCK) {
      deadlocks.incrementAndGet();
    }
  }

  @Override
  public void beforeRerun(UnitInfo unit, Duration pause) {
    reruns.incrementAndGet();
  }
}
