package io.rowlock.internal;

import io.rowlock.UnitOptions;
import io.rowlock.internal.hibernate.JtaTransactions;
import org.jspecify.annotations.Nullable;

/** A unit of work whose transactions a container begins and ends. Safe for use by any thread. */
public final class ContainerUnit {

  private final UnitEngine engine;
  private final JtaTransactions jta;
  private final UnitSpec spec;

  ContainerUnit(UnitEngine engine, JtaTransactions jta, UnitSpec spec) {
    this.engine = engine;
    this.jta = jta;
    this.spec = spec;
  }

  /**
   * The unit with these options, which must come from a method of {@link io.rowlock.Rowlock}: the
   * Rowlock itself may be hidden behind a container's proxy, what it answers is not.
   *
   * @throws IllegalArgumentException if they are somebody else's
   * @throws IllegalStateException if the factory's transactions are not those of JTA
   */
  public static ContainerUnit of(UnitOptions options) {
    if (options instanceof Units units) {
      return units.inContainer();
    }
    throw new IllegalArgumentException(
        "A Rowlock made by Rowlock.of or Rowlock.builder is needed; this one answers "
            + options.getClass().getName());
  }

  /**
   * Runs the unit, or joins the transaction that is active.
   *
   * @param alwaysNew whether the container begins a transaction even where one is active
   * @return what the call answered, once its transaction has committed; at once if it has joined
   * @throws Exception what the call threw; for everything else see {@link UnitOptions#call}
   */
  public <T extends @Nullable Object> T call(boolean alwaysNew, ContainerCall<T> call)
      throws Exception {
    return alwaysNew || jta.current() == null
        ? engine.call(spec, call, jta)
        : new JoiningCall(engine, jta, spec).run(call);
  }
}
