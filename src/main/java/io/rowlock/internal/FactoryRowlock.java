package io.rowlock.internal;

import io.rowlock.CommitCheck;
import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import jakarta.persistence.EntityManager;
import org.jspecify.annotations.Nullable;

/** The entry point over the engine of a factory. */
final class FactoryRowlock extends Units implements Rowlock {

  private final UnitEngine engine;

  FactoryRowlock(UnitEngine engine, @Nullable CommitCheck check) {
    super(engine, UnitSpec.of(engine.settings().policy(), check));
    this.engine = engine;
  }

  @Override
  public UnitOfWork on(EntityManager entityManager) {
    return engine.on(entityManager);
  }
}
