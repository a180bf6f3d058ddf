package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.BatchStatements;
import io.rowlock.internal.postgres.IdBlocks;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.id.enhanced.NoopOptimizer;
import org.hibernate.id.enhanced.Optimizer;
import org.hibernate.id.enhanced.PooledLoOptimizer;
import org.hibernate.id.enhanced.PooledLoThreadLocalOptimizer;
import org.hibernate.id.enhanced.PooledOptimizer;
import org.hibernate.id.enhanced.SequenceStyleGenerator;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * Ids from a sequence. The {@code INSERT} itself draws the next value, so an existing row draws
 * none and a new one takes no statement more. A value of a pooled sequence stands for a block of
 * ids, as for Hibernate's optimizers; the rest of a block drawn here is kept for the next calls,
 * and an id that a call did not need goes back.
 */
final class SequenceId implements IdSource {

  private final EntityPersister persister;
  private final String nextValue;
  private final Block block;
  private final boolean kept;
  private final ConcurrentLinkedDeque<Long> rest = new ConcurrentLinkedDeque<>();

  private SequenceId(EntityPersister persister, String nextValue, Block block, boolean kept) {
    this.persister = persister;
    this.nextValue = nextValue;
    this.block = block;
    this.kept = kept;
  }

  /**
   * The source, null unless the id is made by Hibernate's own sequence generator in a way that is
   * known here.
   */
  static @Nullable SequenceId of(EntityPersister persister, SessionFactoryImplementor factory) {
    // a subclass may make anything of the sequence's value
    if (persister.getGenerator().getClass() != SequenceStyleGenerator.class
        || !(persister.getIdentifierMapping() instanceof BasicValuedModelPart)) {
      return null;
    }
    SequenceStyleGenerator generator = (SequenceStyleGenerator) persister.getGenerator();
    Block block = Block.of(generator);
    if (block == null || !generator.getDatabaseStructure().isPhysicalSequence()) {
      return null;
    }
    return new SequenceId(
        persister,
        generator.determineBulkInsertionIdentifierGenerationSelectFragment(
            factory.getSqlStringGenerationContext()),
        block,
        // tenants in schemas or databases of their own have a sequence each
        !factory.getSessionFactoryOptions().isMultiTenancyEnabled());
  }

  @Override
  public void check(Object candidate) {
    IdSource.requireNew(persister, candidate);
  }

  @Override
  public NewId next(SharedSessionContractImplementor session, Object candidate) {
    Long next = rest.pollFirst();
    return next == null ? new NewId(null, nextValue) : new NewId(converted(session, next), null);
  }

  @Override
  public NewId nextOfMany(SharedSessionContractImplementor session, Object candidate) {
    return new NewId(
        null,
        blocks() == null
            ? nextValue
            : "coalesce(" + BatchStatements.DRAWN_ID + ", " + nextValue + ")");
  }

  @Override
  public @Nullable IdBlocks blocks() {
    return block.before() + block.after() <= 0
        ? null
        : new IdBlocks(nextValue, block.before(), block.after(), block.initial());
  }

  @Override
  public void unused(NewId id) {
    if (id.value() instanceof Number unused) {
      rest.addFirst(unused.longValue());
    }
  }

  @Override
  public void used(NewId id, Object inserted) {
    if (kept && id.sql() != null && inserted instanceof Number drawn) {
      block.restOf(drawn.longValue(), rest);
    }
  }

  private Object converted(SharedSessionContractImplementor session, long value) {
    JavaType<?> type = ((BasicValuedModelPart) persister.getIdentifierMapping()).getJavaType();
    return type.wrap(value, session);
  }

  /**
   * Which ids a value of the sequence stands for.
   *
   * @param before how many ids below the value
   * @param after how many ids above it
   * @param initial the sequence's first value, below which there is no block
   */
  private record Block(long before, long after, long initial) {

    static @Nullable Block of(SequenceStyleGenerator generator) {
      Optimizer optimizer = generator.getOptimizer();
      long others = optimizer.getIncrementSize() - 1L;
      int initial = generator.getDatabaseStructure().getInitialValue();
      if (optimizer instanceof NoopOptimizer || others == 0) {
        return new Block(0, 0, initial);
      }
      if (optimizer instanceof PooledOptimizer) {
        return new Block(others, 0, initial);
      }
      if (optimizer instanceof PooledLoOptimizer
          || optimizer instanceof PooledLoThreadLocalOptimizer) {
        return new Block(0, others, initial);
      }
      return null;
    }

    void restOf(long value, ConcurrentLinkedDeque<Long> rest) {
      for (long id = Math.max(value - before, initial + 1); id < value; id++) {
        rest.addLast(id);
      }
      for (long id = value + 1; id <= value + after; id++) {
        rest.addLast(id);
      }
    }
  }
}
