package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.UnitFunction;
import org.jspecify.annotations.Nullable;

/**
 * The attempts that are running on a thread, innermost first: at most one for each factory, so that
 * a unit started inside another one of the same factory joins it.
 */
final class RunningUnit implements AutoCloseable {

  private static final ThreadLocal<@Nullable RunningUnit> INNERMOST = new ThreadLocal<>();

  private final Object factory;
  private final ActiveUnit unit;
  private final IsolationLevel isolation;
  private final CommitGate gate;
  private final @Nullable RunningUnit outer;

  private RunningUnit(Object factory, ActiveUnit unit, IsolationLevel isolation, CommitGate gate) {
    this.factory = factory;
    this.unit = unit;
    this.isolation = isolation;
    this.gate = gate;
    this.outer = INNERMOST.get();
  }

  /** Binds an attempt to the thread until it is closed. */
  static RunningUnit enter(
      Object factory, ActiveUnit unit, IsolationLevel isolation, CommitGate gate) {
    RunningUnit running = new RunningUnit(factory, unit, isolation, gate);
    INNERMOST.set(running);
    return running;
  }

  /** The attempt of a factory that runs on this thread, or null. */
  static @Nullable RunningUnit of(Object factory) {
    RunningUnit running = INNERMOST.get();
    while (running != null && running.factory != factory) {
      running = running.outer;
    }
    return running;
  }

  ActiveUnit unit() {
    return unit;
  }

  /** Runs the function of a unit that joins this one. Whatever it throws fails this one too. */
  <T extends @Nullable Object, X extends Exception> T join(
      UnitSpec spec, UnitFunction<T, X> function) throws X {
    IsolationLevel requested = spec.requested();
    if (requested != null && requested != isolation) {
      throw new IllegalStateException(
          "Unit of work '"
              + spec.name()
              + "' asks for "
              + requested.sql()
              + " but would join "
              + unit.info()
              + ", which runs under "
              + isolation.sql()
              + "; ask for it at the outermost unit");
    }
    try {
      return function.apply(unit);
    } catch (Throwable e) {
      gate.nestedFailed(e);
      throw e;
    }
  }

  @Override
  public void close() {
    if (outer == null) {
      INNERMOST.remove();
    } else {
      INNERMOST.set(outer);
    }
  }
}
