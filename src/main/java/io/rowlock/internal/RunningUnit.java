package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.UnitFunction;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The units that are running on a thread, innermost first: at most one for each factory and
 * transaction, so that a unit started inside another one joins it.
 */
final class RunningUnit implements AutoCloseable {

  private static final ThreadLocal<@Nullable RunningUnit> INNERMOST = new ThreadLocal<>();

  private final Object factory;
  private final @Nullable Object transaction;
  private final ActiveUnit unit;
  private final Supplier<IsolationLevel> isolation;
  private final Consumer<Throwable> whenJoinedFails;
  private final @Nullable RunningUnit outer;

  private RunningUnit(
      UnitEngine engine,
      ActiveUnit unit,
      Supplier<IsolationLevel> isolation,
      Consumer<Throwable> whenJoinedFails) {
    this.factory = engine.factory().identity();
    this.transaction = engine.driver().current();
    this.unit = unit;
    this.isolation = isolation;
    this.whenJoinedFails = whenJoinedFails;
    this.outer = INNERMOST.get();
  }

  /**
   * Binds a unit to the thread until it is closed.
   *
   * @param isolation tells the isolation level of its transaction
   * @param whenJoinedFails is told what a unit that had joined has thrown
   */
  static RunningUnit enter(
      UnitEngine engine,
      ActiveUnit unit,
      Supplier<IsolationLevel> isolation,
      Consumer<Throwable> whenJoinedFails) {
    RunningUnit running = new RunningUnit(engine, unit, isolation, whenJoinedFails);
    INNERMOST.set(running);
    return running;
  }

  /** The unit that one of this engine would join on this thread, or null. */
  static @Nullable RunningUnit of(UnitEngine engine) {
    RunningUnit running = INNERMOST.get();
    while (running != null && !running.takesIn(engine)) {
      running = running.outer;
    }
    return running;
  }

  /** A transaction that was suspended meanwhile takes nobody in. */
  private boolean takesIn(UnitEngine engine) {
    return factory == engine.factory().identity()
        && Objects.equals(transaction, engine.driver().current());
  }

  ActiveUnit unit() {
    return unit;
  }

  /** Runs the function of a unit that joins this one. Whatever it throws fails this one too. */
  <T extends @Nullable Object, X extends Exception> T join(
      UnitSpec spec, UnitFunction<T, X> function) throws X {
    refuseOtherIsolation(spec);
    try {
      T result = function.apply(unit);
      Asynchronous.refuse(unit.info(), result);
      return result;
    } catch (Throwable e) {
      joinedFailed(e);
      throw e;
    }
  }

  /** A unit that had joined this one has failed. */
  void joinedFailed(Throwable failure) {
    whenJoinedFails.accept(failure);
  }

  /**
   * Checks a unit that is about to join this one.
   *
   * @throws IllegalStateException if it asks for another isolation level
   */
  void refuseOtherIsolation(UnitSpec spec) {
    IsolationLevel requested = spec.requested();
    if (requested != null && requested != isolation.get()) {
      throw new IllegalStateException(
          "Unit of work '"
              + spec.name()
              + "' asks for "
              + requested.sql()
              + " but would join "
              + unit.info()
              + ", which runs under "
              + isolation.get().sql()
              + "; ask for it at the outermost unit");
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
