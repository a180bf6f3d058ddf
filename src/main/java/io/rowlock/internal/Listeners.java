package io.rowlock.internal;

import io.rowlock.CommitOutcome;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.retry.Failure;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Tells several listeners, in order; what one of them throws is logged and goes no further. */
final class Listeners implements RowlockListener {

  private static final System.Logger LOGGER = System.getLogger(RowlockListener.class.getName());

  private final List<RowlockListener> all;

  Listeners(List<RowlockListener> all) {
    this.all = List.copyOf(all);
  }

  @Override
  public void beforeAttempt(UnitInfo unit) {
    tell(listener -> listener.beforeAttempt(unit));
  }

  @Override
  public void beforeCommit(UnitInfo unit) {
    tell(listener -> listener.beforeCommit(unit));
  }

  @Override
  public void onCommitted(UnitInfo unit, Duration elapsed) {
    tell(listener -> listener.onCommitted(unit, elapsed));
  }

  @Override
  public void onCommitUnanswered(UnitInfo unit, Throwable problem) {
    tell(listener -> listener.onCommitUnanswered(unit, problem));
  }

  @Override
  public void onOutcomeSettled(UnitInfo unit, CommitOutcome outcome, Duration took) {
    tell(listener -> listener.onOutcomeSettled(unit, outcome, took));
  }

  @Override
  public void onAttemptFailed(UnitInfo unit, Throwable problem, Failure failure) {
    tell(listener -> listener.onAttemptFailed(unit, problem, failure));
  }

  @Override
  public void beforeRerun(UnitInfo unit, Duration pause) {
    tell(listener -> listener.beforeRerun(unit, pause));
  }

  @Override
  public void onGivenUp(UnitInfo unit, Throwable leaving, Duration elapsed) {
    tell(listener -> listener.onGivenUp(unit, leaving, elapsed));
  }

  @Override
  public void onAfterCommitFailed(UnitInfo unit, Throwable problem) {
    tell(listener -> listener.onAfterCommitFailed(unit, problem));
  }

  @Override
  public void onLostRace(UnitInfo unit, Class<?> entity, int round) {
    tell(listener -> listener.onLostRace(unit, entity, round));
  }

  private void tell(Consumer<RowlockListener> event) {
    for (RowlockListener listener : all) {
      try {
        event.accept(listener);
      } catch (RuntimeException e) {
        LOGGER.log(System.Logger.Level.WARNING, "A listener of units of work has thrown", e);
      }
    }
  }
}
