package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.postgres.IdBlocks;
import org.hibernate.dialect.Dialect;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.Generator;
import org.hibernate.generator.OnExecutionGenerator;
import org.hibernate.id.CompositeNestedGeneratedValueGenerator;
import org.hibernate.id.uuid.UuidGenerator;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * Where the id of a new row comes from. An existing row must cost no value of a sequence, so
 * nothing is drawn from the database before it is known that the row is new: not before the {@code
 * INSERT} itself draws it.
 *
 * <p>Safe for use by any thread.
 */
interface IdSource {

  /** The class whose nested generators take an id from a referred entity. */
  String BINDER = "org.hibernate.boot.model.internal.PropertyBinder$";

  /**
   * The id for one call: a value, an expression that the insert evaluates, or neither where the
   * column's default makes it.
   *
   * @param value the id, null if it is not known beforehand
   * @param sql the expression, null if there is none
   */
  record NewId(@Nullable Object value, @Nullable String sql) {

    static final NewId OF_THE_DATABASE = new NewId(null, null);
  }

  /**
   * Checks what the candidate has as its id, without asking the database.
   *
   * @throws IllegalArgumentException if it cannot be inserted with it
   */
  void check(Object candidate);

  /** The id to insert the candidate with. */
  NewId next(SharedSessionContractImplementor session, Object candidate);

  /** The id to insert the candidate with, among many others. */
  default NewId nextOfMany(SharedSessionContractImplementor session, Object candidate) {
    return next(session, candidate);
  }

  /** The blocks of ids that a statement draws for many rows, if it does. */
  default @Nullable IdBlocks blocks() {
    return null;
  }

  /** Whether the row has to be looked up before {@link #next} is called. */
  default boolean costsAQuery() {
    return false;
  }

  /** Whether no row that is there can have an id that it makes. */
  default boolean isFresh() {
    return true;
  }

  /** The id was not needed: the row was there. */
  default void unused(NewId id) {}

  /** A row was inserted with the id. */
  default void used(NewId id, Object inserted) {}

  /** The source that the mapping asks for. */
  static IdSource of(EntityTable table, SessionFactoryImplementor factory) {
    EntityPersister persister = table.persister();
    Generator generator = persister.getGenerator();
    if (isAssigned(persister)) {
      return new Assigned(persister);
    }
    if (generator instanceof CompositeNestedGeneratedValueGenerator parts) {
      if (!parts.generatedOnExecution()) {
        return new Generated(persister, parts, !isOfReferences(parts));
      }
      throw new UnsupportedMappingException(
          table.entityName(),
          table.entityName()
              + " cannot be created once by a statement: its id is composite and partly generated"
              + " by the insert."
              + " Assign the whole id, or persist the entity in a unit that is run again after a"
              + " violation of its unique constraint");
    }
    if (generator instanceof OnExecutionGenerator inDatabase && generator.generatedOnExecution()) {
      return new ByDatabase(
          persister, expression(inDatabase, factory.getJdbcServices().getDialect()));
    }
    IdSource sequence = SequenceId.of(persister, factory);
    if (sequence != null) {
      return sequence;
    }
    return new Generated(
        persister,
        (BeforeExecutionGenerator) generator,
        !(generator instanceof UuidGenerator || isForeign(generator)));
  }

  /** By name, since the class is to be removed. */
  private static boolean isForeign(Generator generator) {
    return generator.getClass().getName().equals("org.hibernate.id.ForeignGenerator");
  }

  /** Whether all that is generated of the id are the ids of referred entities. */
  private static boolean isOfReferences(CompositeNestedGeneratedValueGenerator parts) {
    return parts.getGenerationPlans().stream()
        .map(plan -> plan.getGenerator())
        .allMatch(
            generator ->
                isForeign(generator)
                    // which the mapping's binder makes where a reference is the id, or part of it
                    || generator.getClass().getName().startsWith(BINDER));
  }

  /** Whether the application sets the whole id. */
  static boolean isAssigned(EntityPersister persister) {
    Generator generator = persister.getGenerator();
    return generator instanceof CompositeNestedGeneratedValueGenerator parts
        ? parts.getGenerationPlans().isEmpty() && !parts.generatedOnExecution()
        : !generator.generatesOnInsert();
  }

  private static @Nullable String expression(OnExecutionGenerator generator, Dialect dialect) {
    String[] values =
        generator.referenceColumnsInSql(dialect)
            ? generator.getReferencedColumnValues(dialect)
            : null;
    return values == null || values.length != 1 || values[0].equals("default") ? null : values[0];
  }

  /** Refuses a candidate that has an id although ids are generated: it is not new. */
  static void requireNew(EntityPersister persister, Object candidate) {
    Object id = persister.getIdentifier(candidate);
    if (id != null
        && Boolean.FALSE.equals(
            persister.getIdentifierMapping().getUnsavedStrategy().isUnsaved(id))) {
      throw new IllegalArgumentException(
          "The candidate of "
              + persister.getEntityName()
              + " has the id "
              + id
              + " although its ids are generated. Pass a new instance");
    }
  }

  /** The application sets the id. */
  record Assigned(EntityPersister persister) implements IdSource {
    @Override
    public void check(Object candidate) {
      // a @PrePersist method may set it
    }

    @Override
    public boolean isFresh() {
      return false;
    }

    @Override
    public NewId next(SharedSessionContractImplementor session, Object candidate) {
      Object id = persister.getIdentifier(candidate, session);
      if (id == null) {
        throw new IllegalArgumentException(
            "The candidate of "
                + persister.getEntityName()
                + " has no id, and its ids are not generated");
      }
      return new NewId(id, null);
    }
  }

  /** The column's default makes the id, or an expression does. */
  record ByDatabase(EntityPersister persister, @Nullable String expression) implements IdSource {
    @Override
    public void check(Object candidate) {
      requireNew(persister, candidate);
    }

    @Override
    public NewId next(SharedSessionContractImplementor session, Object candidate) {
      return expression == null ? NewId.OF_THE_DATABASE : new NewId(null, expression);
    }
  }

  /** A generator of Hibernate makes the id before the insert. */
  record Generated(
      EntityPersister persister, BeforeExecutionGenerator generator, boolean costsAQuery)
      implements IdSource {
    @Override
    public void check(Object candidate) {
      if (!generator.allowAssignedIdentifiers()
          && !(generator instanceof CompositeNestedGeneratedValueGenerator)) {
        requireNew(persister, candidate);
      }
    }

    @Override
    public boolean isFresh() {
      return generator instanceof UuidGenerator;
    }

    @Override
    public NewId next(SharedSessionContractImplementor session, Object candidate) {
      Object current =
          generator.allowAssignedIdentifiers() ? persister.getIdentifier(candidate) : null;
      return new NewId(generator.generate(session, candidate, current, EventType.INSERT), null);
    }
  }
}
