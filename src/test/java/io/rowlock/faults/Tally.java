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
  private final AtomicLong unanswered = new AtomicLong();
  private final AtomicLong reruns = new AtomicLong();

  /** Whether the thread's attempt is counted already, by its COMMIT. */
  private final ThreadLocal<Boolean> counted = ThreadLocal.withInitial(() -> false);

  /**
   * Counts.
   *
   * @param feltAs which failures of an attempt are the work of the fault
   */
  Tally(Predicate<Throwable> feltAs) {
    this.feltAs = feltAs;
  }

  /** How many attempts the fault has failed, or kept from learning what became of their COMMIT. */
  long felt() {
    return felt.get();
  }

  /** How many COMMITs were not answered. */
  long unanswered() {
    return unanswered.get();
  }

  long reruns() {
    return reruns.get();
  }

  /** A unit was ended by an interrupt, which fails no attempt. */
  void interrupted() {
    felt.incrementAndGet();
  }

  @Override
  public void beforeAttempt(UnitInfo unit) {
    counted.set(false);
  }

  @Override
  public void onCommitUnanswered(UnitInfo unit, Throwable problem) {
    unanswered.incrementAndGet();
    count(problem);
  }

  @Override
  public void onAttemptFailed(UnitInfo unit, Throwable problem, Failure failure) {
    if (!counted.get()) {
      count(problem);
    }
  }

  @Override
  public void beforeRerun(UnitInfo unit, Duration pause) {
    reruns.incrementAndGet();
  }

  private void count(Throwable problem) {
    if (feltAs.test(problem)) {
      counted.set(true);
      felt.incrementAndGet();
    }
  }
}
