package io.rowlock.faults;

import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.retry.Failure;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** Counts what Rowlock tells its listener. */
final class Tally implements RowlockListener {

  private final Predicate<Throwable> feltAs;
  private final AtomicLong felt = new AtomicLong();
  private final AtomicLong reruns = new AtomicLong();

  /**
   * Counts.
   *
   * @param feltAs which failures of an attempt are the work of the fault
   */
  Tally(Predicate<Throwable> feltAs) {
    this.feltAs = feltAs;
  }

  /** How many attempts the fault has failed. */
  long felt() {
    return felt.get();
  }

  /** A unit was ended by an interrupt, which fails no attempt. */
  void interrupted() {
    felt.incrementAndGet();
  }

  long reruns() {
    return reruns.get();
  }

  @Override
  public void onAttemptFailed(UnitInfo unit, Throwable problem, Failure failure) {
    if (feltAs.test(problem)) {
      felt.incrementAndGet();
    }
  }

  @Override
  public void beforeRerun(UnitInfo unit, Duration pause) {
    reruns.incrementAndGet();
  }
}
