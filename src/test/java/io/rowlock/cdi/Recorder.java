package io.rowlock.cdi;

import io.rowlock.Rowlock;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.retry.Failure;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The application's own Rowlock, which writes down what happens. */
@ApplicationScoped
class Recorder implements RowlockListener {

  private final List<String> events = new CopyOnWriteArrayList<>();
  private volatile Consumer<UnitInfo> beforeRerun = unit -> {};

  @Produces
  @ApplicationScoped
  Rowlock rowlock(EntityManagerFactory factory) {
    return Rowlock.builder(factory).listener(this).build();
  }

  /** Forgets everything. */
  void clear() {
    events.clear();
    beforeRerun = unit -> {};
  }

  /** What has happened since, in words. */
  List<String> events() {
    return List.copyOf(events);
  }

  /** Does something before the next rerun. */
  void beforeRerun(Consumer<UnitInfo> action) {
    beforeRerun = action;
  }

  @Override
  public void beforeAttempt(UnitInfo unit) {
    events.add("attempt " + unit.attempt());
  }

  @Override
  public void beforeCommit(UnitInfo unit) {
    events.add("commit " + unit.attempt());
  }

  @Override
  public void onCommitted(UnitInfo unit, Duration elapsed) {
    events.add("committed " + unit.attempt());
  }

  @Override
  public void onAttemptFailed(UnitInfo unit, Throwable problem, Failure failure) {
    events.add("failed " + unit.attempt() + " " + failure.kind());
  }

  @Override
  public void beforeRerun(UnitInfo unit, Duration pause) {
    events.add("rerun");
    beforeRerun.accept(unit);
  }
}
