package io.rowlock.internal;

import io.rowlock.CommitCheck;
import io.rowlock.CommitTracking;
import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.RowlockListener;
import io.rowlock.internal.hibernate.HibernateFactory;
import io.rowlock.retry.RetryPolicy;
import jakarta.persistence.EntityManagerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds the engine of one factory. Not thread-safe. */
public final class RowlockBuilder implements Rowlock.Builder {

  private final EntityManagerFactory factory;
  private final List<RowlockListener> listeners = new ArrayList<>();
  private @Nullable RetryPolicy policy;
  private @Nullable IsolationLevel isolation;
  private @Nullable CommitTracking tracking;
  private @Nullable CommitCheck check;

  /** Starts from the factory's settings, which are read when it builds. */
  public RowlockBuilder(EntityManagerFactory factory) {
    this.factory = factory;
  }

  @Override
  public RowlockBuilder retry(RetryPolicy units) {
    policy = Objects.requireNonNull(units, "units");
    return this;
  }

  @Override
  public RowlockBuilder isolation(IsolationLevel level) {
    isolation = Objects.requireNonNull(level, "level");
    return this;
  }

  @Override
  public RowlockBuilder commitTracking(CommitTracking how) {
    tracking = Objects.requireNonNull(how, "how");
    return this;
  }

  @Override
  public RowlockBuilder commitCheck(CommitCheck own) {
    check = Objects.requireNonNull(own, "own");
    return this;
  }

  @Override
  public RowlockBuilder listener(RowlockListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  @Override
  public Rowlock build() {
    HibernateFactory hibernate = HibernateFactory.of(factory);
    Settings read = Settings.read(hibernate.properties());
    Settings settings =
        new Settings(
            policy == null ? read.policy() : policy,
            isolation == null ? read.isolation() : isolation,
            tracking == null ? read.tracking() : tracking);
    return new FactoryRowlock(new UnitEngine(hibernate, settings, new Listeners(listeners)), check);
  }
}
