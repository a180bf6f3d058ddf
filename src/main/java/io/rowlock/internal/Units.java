package io.rowlock.internal;

import io.rowlock.CommitCheck;
import io.rowlock.IsolationLevel;
import io.rowlock.UnitAction;
import io.rowlock.UnitFunction;
import io.rowlock.UnitOptions;
import io.rowlock.create.GetOrCreate;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.create.Pin;
import io.rowlock.internal.hibernate.JtaTransactions;
import io.rowlock.retry.RetryPolicy;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A runner with its options. Immutable. */
class Units implements UnitOptions {

  private final UnitEngine engine;
  private final UnitSpec spec;

  Units(UnitEngine engine, UnitSpec spec) {
    this.engine = engine;
    this.spec = spec;
  }

  /** The same unit, in transactions that a container begins and ends. */
  final ContainerUnit inContainer() {
    JtaTransactions jta = engine.factory().jta();
    if (jta == null) {
      throw new IllegalStateException(
          "The transactions of this Rowlock's persistence unit are its own (RESOURCE_LOCAL), those of a"
              + " container are JTA's: configure the unit with transaction-type JTA, or run the unit of work"
              + " by Rowlock.call");
    }
    return new ContainerUnit(engine, jta, spec);
  }

  @Override
  public final UnitOptions named(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("The name of a unit of work is blank");
    }
    return new Units(engine, spec.withName(name));
  }

  @Override
  public final UnitOptions isolation(IsolationLevel level) {
    return new Units(engine, spec.withIsolation(Objects.requireNonNull(level, "level")));
  }

  @Override
  public final UnitOptions retry(RetryPolicy policy) {
    return new Units(engine, spec.withPolicy(Objects.requireNonNull(policy, "policy")));
  }

  @Override
  public final UnitOptions commitCheck(CommitCheck check) {
    return new Units(engine, spec.withCheck(Objects.requireNonNull(check, "check")));
  }

  @Override
  public final UnitOptions retrying(UnaryOperator<RetryPolicy> change) {
    return retry(change.apply(spec.policy()));
  }

  @Override
  public final <T extends @Nullable Object, X extends Exception> T call(UnitFunction<T, X> function)
      throws X {
    return engine.call(spec, Objects.requireNonNull(function, "function"));
  }

  @Override
  public final <X extends Exception> void run(UnitAction<X> action) throws X {
    Objects.requireNonNull(action, "action");
    this.<Boolean, X>call(
        unit -> {
          action.accept(unit);
          return Boolean.TRUE;
        });
  }

  @Override
  public final <E> GetOrCreateResult<E> getOrCreate(E candidate, GetOrCreate how) {
    E found = how.pin() instanceof Pin.None ? engine.find(spec, candidate, how.key()) : null;
    return found == null
        ? call(unit -> unit.getOrCreate(candidate, how))
        : new GetOrCreateResult<>(found, false);
  }
}
