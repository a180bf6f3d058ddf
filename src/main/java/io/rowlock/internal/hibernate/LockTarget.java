package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.postgres.LockStatements;
import java.util.List;
import java.util.Set;
import org.hibernate.engine.FetchTiming;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.hibernate.metamodel.mapping.EntityDiscriminatorMapping;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.sql.results.graph.Fetchable;
import org.hibernate.sql.results.graph.FetchableContainer;

/**
 * How the rows of one entity are locked: which tables hold them, and whether the locking statement
 * can load them too.
 *
 * <p>The tables are locked one after the other, in the one order of the persistence unit, and the
 * rows of each table in the order of the ids.
 *
 * <p>Immutable; safe for use by any thread.
 */
final class LockTarget {

  /** The Java types of a version that one can be added to. */
  private static final Set<Class<?>> INTEGRAL =
      Set.of(Long.class, Integer.class, Short.class, long.class, int.class, short.class);

  private final EntityTable entity;
  private final IdColumns id;
  private final List<LockTable> tables;
  private final boolean restricted;
  private final boolean oneStatement;
  private final String rowColumns;

  private LockTarget(EntityTable entity, TableOrder order) {
    this.entity = entity;
    this.id = IdColumns.of(entity);
    this.tables = order.sorted(EntityTables.of(entity), LockTable::name);
    EntityPersister persister = entity.persister();
    this.restricted =
        persister.hasWhereRestrictions()
            || persister.getSoftDeleteMapping() != null
            || persister.hasFilterForLoadByKey()
            || (persister.getDiscriminatorMapping() != null && persister.isInherited());
    this.oneStatement = tables.size() == 1 && !restricted && isFlat(persister);
    this.rowColumns = oneStatement ? RowColumns.of(persister, LockStatements.ALIAS) : "";
  }

  /**
   * The target for an entity.
   *
   * @throws UnsupportedMappingException if its rows cannot be locked by id
   */
  static LockTarget of(EntityTable entity, TableOrder order) {
    return new LockTarget(entity, order);
  }

  EntityTable entity() {
    return entity;
  }

  String entityName() {
    return entity.entityName();
  }

  EntityPersister persister() {
    return entity.persister();
  }

  IdColumns id() {
    return id;
  }

  /** The tables in the order in which they are locked. */
  List<LockTable> tables() {
    return tables;
  }

  /** The tables that hold the ids, and the versions: one, or one for each class. */
  List<LockTable> idTables() {
    return tables.stream().filter(LockTable::holdsIds).toList();
  }

  /**
   * Whether a row with the id need not be an instance of the entity: a filter or a discriminator
   * decides.
   */
  boolean isRestricted() {
    return restricted;
  }

  /** Whether the statement that locks the rows answers all there is to load. */
  boolean isLoadedByLock() {
    return oneStatement;
  }

  /** The select list by which that statement loads the rows; empty if it does not. */
  String rowColumns() {
    return rowColumns;
  }

  /**
   * The version's column.
   *
   * @throws UnsupportedMappingException if the entity has no version that the database can add one
   *     to
   */
  String versionColumn() {
    SelectableMapping version =
        entity.version().orElseThrow(() -> noVersion("it has no @Version attribute"));
    Class<?> type = persister().getVersionMapping().getJavaType().getJavaTypeClass();
    if (!INTEGRAL.contains(type)) {
      throw noVersion("its @Version attribute is of type " + type.getName());
    }
    if (persister().isVersionPropertyGenerated()) {
      throw noVersion("its @Version attribute is generated");
    }
    return version.getSelectionExpression();
  }

  private UnsupportedMappingException noVersion(String why) {
    return new UnsupportedMappingException(
        entityName(),
        "The versions of "
            + entityName()
            + " (table "
            + entity.table()
            + ") cannot be incremented: "
            + why
            + ". Give the entity a @Version attribute of type int, long, short, Integer, Long or Short, or"
            + " lock the rows and change the entities");
  }

  /**
   * No associations that come with a join, no values that are computed from other rows, nothing
   * that a native query does not read.
   */
  private static boolean isFlat(EntityPersister persister) {
    EntityDiscriminatorMapping discriminator = persister.getDiscriminatorMapping();
    return (discriminator == null || !discriminator.isFormula())
        && isFlat((FetchableContainer) persister);
  }

  private static boolean isFlat(FetchableContainer container) {
    boolean[] flat = {true};
    container.visitFetchables(fetchable -> flat[0] &= isFlat(fetchable), null);
    return flat[0];
  }

  private static boolean isFlat(Fetchable fetchable) {
    if (fetchable instanceof BasicValuedModelPart basic) {
      return !basic.isFormula();
    }
    if (fetchable instanceof EmbeddableValuedModelPart embedded) {
      EmbeddableMappingType type = embedded.getEmbeddableTypeDescriptor();
      return type.getAggregateMapping() == null && isFlat(type);
    }
    return fetchable.getMappedFetchOptions().getTiming() != FetchTiming.IMMEDIATE;
  }
}
