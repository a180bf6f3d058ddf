package io.rowlock.internal;

import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import jakarta.persistence.EntityManager;

/** The entry point over the engine of a factory. */
final class FactoryRowlock extends Units implements Rowlock {

  private final UnitEngine engine;

  FactoryRowlock(UnitEngine engine) {
    super(engine, UnitSpec.of(engine.settings().policy()));
    this.engine = engine;
  }

  @Override
  public UnitOfWork on(EntityManager entityManager) {
    return engine.on(entityManager);
  }
}
