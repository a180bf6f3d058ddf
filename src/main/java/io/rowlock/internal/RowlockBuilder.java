package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.RowlockListener;
import io.rowlock.retry.RetryPolicy;
import jakarta.persistence.EntityManagerFactory;

/** Builds the engine of one factory. */
public final class RowlockBuilder implements Rowlock.Builder {

  private final EntityManagerFactory factory;

  /** Starts from the factory's settings. */
  public RowlockBuilder(EntityManagerFactory factory) {
    this.factory = factory;
  }

  @Override
  public RowlockBuilder retry(RetryPolicy policy) {
    return this;
  }

  @Override
  public RowlockBuilder isolation(IsolationLevel level) {
    return this;
  }

  @Override
  public RowlockBuilder listener(RowlockListener listener) {
    return this;
  }

  @Override
  public Rowlock build() {
    throw new UnsupportedOperationException(factory.toString());
  }
}
