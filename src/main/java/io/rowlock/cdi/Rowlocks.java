package io.rowlock.cdi;

import io.rowlock.Rowlock;
import io.rowlock.UnitOptions;
import io.rowlock.internal.Durations;
import io.rowlock.retry.FailureKind;
import io.rowlock.retry.RetryPolicy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.InvocationContext;
import jakarta.persistence.EntityManagerFactory;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Finds the {@link Rowlock} of the application, and its options for a call. Not for users. */
@ApplicationScoped
public class Rowlocks {

  private static final String PRODUCER =
      "@Produces @ApplicationScoped Rowlock rowlock(...) { return Rowlock.of(factory); }";

  private static final String NONE = "none";

  private final @Nullable Instance<Rowlock> rowlocks;
  private final @Nullable Instance<EntityManagerFactory> factories;
  private final AtomicReference<@Nullable Rowlock> found = new AtomicReference<>();

  /** For the container's proxies. */
  protected Rowlocks() {
    rowlocks = null;
    factories = null;
  }

  @Inject
  Rowlocks(Instance<Rowlock> rowlocks, Instance<EntityManagerFactory> factories) {
    this.rowlocks = rowlocks;
    this.factories = factories;
  }

  /** The options of a call of a method with the annotation. */
  UnitOptions optionsOf(InvocationContext call) {
    Bindings.refuseAsynchronous(call.getMethod());
    RetryTransaction how = Bindings.retryTransaction(call);
    UnitOptions options =
        rowlock().named(nameOf(how, call)).retrying(policy -> change(policy, how));
    return switch (how.isolation().length) {
      case 0 -> options;
      case 1 -> options.isolation(how.isolation()[0]);
      default ->
          throw new IllegalArgumentException(
              "@RetryTransaction of "
                  + call.getMethod()
                  + " names more than one isolation level: "
                  + Arrays.toString(how.isolation()));
    };
  }

  private static String nameOf(RetryTransaction how, InvocationContext call) {
    return how.name().isEmpty()
        ? call.getMethod().getDeclaringClass().getSimpleName() + "." + call.getMethod().getName()
        : how.name();
  }

  private static RetryPolicy change(RetryPolicy policy, RetryTransaction how) {
    RetryPolicy changed = policy;
    if (how.attempts() != 0) {
      changed = changed.withMaxAttempts(how.attempts());
    }
    if (how.deadline().strip().equalsIgnoreCase(NONE)) {
      changed = changed.withoutDeadline();
    } else if (!how.deadline().isEmpty()) {
      changed = changed.withDeadline(Durations.parse(how.deadline()));
    }
    for (FailureKind kind : how.alsoAfter()) {
      changed = changed.alsoAfter(kind);
    }
    for (String constraint : how.alsoAfterViolationOf()) {
      changed = changed.alsoAfterViolationOf(constraint);
    }
    return changed;
  }

  private Rowlock rowlock() {
    Rowlock known = found.get();
    if (known == null) {
      // two threads may make one each; the first stays
      Rowlock made = find();
      known = found.compareAndSet(null, made) ? made : Objects.requireNonNull(found.get());
    }
    return known;
  }

  private Rowlock find() {
    if (rowlocks == null || factories == null) {
      throw new IllegalStateException("This instance was not made by a container");
    }
    if (rowlocks.isAmbiguous()) {
      throw new IllegalStateException(
          "@RetryTransaction runs units by the bean of type io.rowlock.Rowlock, and there are several; leave one"
              + " without a qualifier and give the others one");
    }
    if (!rowlocks.isUnsatisfied()) {
      return rowlocks.get();
    }
    if (factories.isUnsatisfied() || factories.isAmbiguous()) {
      throw new IllegalStateException(
          "@RetryTransaction needs a bean of type io.rowlock.Rowlock, or exactly one of type"
              + " jakarta.persistence.EntityManagerFactory to make it from, and found "
              + (factories.isAmbiguous() ? "several factories" : "neither")
              + "; produce it: "
              + PRODUCER);
    }
    return Rowlock.of(factories.get());
  }
}
