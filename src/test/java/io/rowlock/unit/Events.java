package io.rowlock.unit;

import io.rowlock.CommitOutcome;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.retry.Failure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Writes down what a listener is told, one word for each event and the attempt's number. */
class Events implements RowlockListener {

  private final List<String> log = new CopyOnWriteArrayList<>();

  List<String> log() {
    return log;
  }

  @Override
  public void beforeAttempt(UnitInfo unit) {
    log.add("attempt " + unit.attempt());
  }

  @Override
  public void beforeCommit(UnitInfo unit) {
    log.add("commit " + unit.attempt());
  }

  @Override
  public void onCommitted(UnitInfo unit, Duration elapsed) {
    log.add("committed " + unit.attempt());
  }

  @Override
  public void onCommitUnanswered(UnitInfo unit, Throwable problem) {
    log.add("unanswered " + unit.attempt());
  }

  @Override
  public void onOutcomeSettled(UnitInfo unit, CommitOutcome outcome, Duration took) {
    log.add(outcome + " " + unit.attempt());
  }

  @Override
  public void onAttemptFailed(UnitInfo unit, Throwable problem, Failure failure) {
    log.add(
        "failed "
            + unit.attempt()
            + " "
            + failure.kind()
            + " "
            + problem.getClass().getSimpleName());
  }

  @Override
  public void onGivenUp(UnitInfo unit, Throwable leaving, Duration elapsed) {
    log.add("given up " + unit.attempt() + " " + leaving.getClass().getSimpleName());
  }

  @Override
  public void onAfterCommitFailed(UnitInfo unit, Throwable problem) {
    log.add("after commit " + unit.attempt() + " " + problem.getClass().getSimpleName());
  }

  @Override
  public void beforeRerun(UnitInfo unit, Duration pause) {
    log.add("rerun " + unit.attempt());
  }
}
