package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.UnitFunction;
import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
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
  private final BooleanSupplier current;
  private final @Nullable RunningUnit outer;
  private final List<ActiveUnit> views = new ArrayList<>();

  private RunningUnit(
      Object factory,
      ActiveUnit unit,
      IsolationLevel isolation,
      CommitGate gate,
      BooleanSupplier current) {
    this.factory = factory;
    this.unit = unit;
    this.isolation = isolation;
    this.gate = gate;
    this.current = current;
    this.outer = INNERMOST.get();
  }

  /** Binds an attempt to the thread until it is closed. */
  static RunningUnit enter(
      Object factory, ActiveUnit unit, IsolationLevel isolation, CommitGate gate) {
    return enter(factory, unit, isolation, gate, () -> true);
  }

  /**
   * Binds an attempt to the thread until it is closed.
   *
   * @param current whether the attempt's transaction is that of the thread: JTA can suspend it
   */
  static RunningUnit enter(
      Object factory,
      ActiveUnit unit,
      IsolationLevel isolation,
      CommitGate gate,
      BooleanSupplier current) {
    RunningUnit running = new RunningUnit(factory, unit, isolation, gate, current);
    INNERMOST.set(running);
    return running;
  }

  /** The attempt of a factory that runs on this thread and is not suspended, or null. */
  static @Nullable RunningUnit of(Object factory) {
    RunningUnit running = INNERMOST.get();
    while (running != null && (running.factory != factory || !running.current.getAsBoolean())) {
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
    checkIsolation(spec);
    try {
      return function.apply(unit);
    } catch (Throwable e) {
      nestedFailed(e);
      throw e;
    }
  }

  /** A unit that had joined has failed: so will this one. */
  void nestedFailed(Throwable failure) {
    gate.nestedFailed(failure);
  }

  /** The attempt as it is used through another session that takes part in its transaction. */
  ActiveUnit through(EntityManager session) {
    ActiveUnit view = new ActiveUnit(session, unit.info(), gate::operationFailed);
    views.add(view);
    return view;
  }

  /**
   * Checks a unit that joins.
   *
   * @throws IllegalStateException if it asks for another isolation level
   */
  void checkIsolation(UnitSpec spec) {
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
  }

  @Override
  public void close() {
    views.forEach(ActiveUnit::end);
    if (outer == null) {
      INNERMOST.remove();
    } else {
      INNERMOST.set(outer);
    }
  }
}
