package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hibernate.engine.FetchTiming;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.hibernate.metamodel.mapping.EntityMappingType;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.UnionSubclassEntityPersister;
import org.hibernate.sql.results.graph.Fetchable;
import org.hibernate.sql.results.graph.FetchableContainer;

/**
 * How the rows of one entity are locked: which tables hold them, and whether the locking statement
 * can load them too.
 *
 * <p>A row's tables are locked one after the other, the one with the id first. Whoever locks two
 * rows of one entity through this class therefore meets everybody else in that first table, in the
 * order of the ids; what follows cannot block two of them in a circle.
 *
 * <p>Immutable; safe for use by any thread.
 */
final class LockTarget {

  /** The Java types of a version that one can be added to. */
  private static final Set<Class<?>> INTEGRAL =
      Set.of(Long.class, Integer.class, Short.class, long.class, int.class, short.class);

  /**
   * A table of the entity.
   *
   * @param name the table as SQL
   * @param id its column that holds the entity's id, as SQL
   */
  record Table(String name, String id) {}

  private final EntityTable entity;
  private final IdColumn id;
  private final List<Table> tables;
  private final boolean restricted;
  private final boolean oneStatement;

  private LockTarget(EntityTable entity) {
    this.entity = entity;
    this.id = IdColumn.of(entity);
    this.tables = tablesOf(entity, id);
    EntityPersister persister = entity.persister();
    this.restricted =
        persister.hasWhereRestrictions()
            || persister.getSoftDeleteMapping() != null
            || persister.hasFilterForLoadByKey()
            || (persister.getDiscriminatorMapping() != null && persister.isInherited());
    this.oneStatement = tables.size() == 1 && !restricted && isFlat(persister);
  }

  /**
   * The target for an entity.
   *
   * @throws UnsupportedMappingException if its rows cannot be locked by id
   */
  static LockTarget of(EntityTable entity) {
    return new LockTarget(entity);
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

  IdColumn id() {
    return id;
  }

  /** The tables in the order in which they are locked; the first one holds every row. */
  List<Table> tables() {
    return tables;
  }

  /**
   * Whether a row of the first table need not be an instance of the entity: a filter or a
   * discriminator decides.
   */
  boolean isRestricted() {
    return restricted;
  }

  /** Whether the statement that locks the rows answers all there is to load. */
  boolean isLoadedByLock() {
    return oneStatement;
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

  private static List<Table> tablesOf(EntityTable entity, IdColumn id) {
    EntityPersister persister = entity.persister();
    if (persister instanceof UnionSubclassEntityPersister && persister.hasSubclasses()) {
      throw new UnsupportedMappingException(
          entity.entityName(),
          "Rows of "
              + entity.entityName()
              + " cannot be locked: each of its subclasses has a table of its own (TABLE_PER_CLASS), and"
              + " there is no table in which to lock them in one order. Lock them by subclass, or map"
              + " the hierarchy as SINGLE_TABLE or JOINED");
    }
    if (entity.table().startsWith("(")) {
      throw new UnsupportedMappingException(
          entity.entityName(),
          "Rows of "
              + entity.entityName()
              + " cannot be locked: it is mapped to a query (@Subselect). Lock the entity of the table"
              + " that the query reads");
    }
    Map<String, Table> tables = new LinkedHashMap<>();
    tables.put(entity.table(), new Table(entity.table(), id.name()));
    for (EntityMappingType type : withSubclasses(persister)) {
      List<Table> rootLast = new ArrayList<>();
      type.visitConstraintOrderedTables(
          (table, keyColumns) ->
              keyColumns
                  .get()
                  .accept(
                      (position, key) ->
                          rootLast.add(new Table(table, key.getSelectionExpression()))));
      for (int i = rootLast.size() - 1; i >= 0; i--) {
        tables.putIfAbsent(rootLast.get(i).name(), rootLast.get(i));
      }
    }
    return List.copyOf(tables.values());
  }

  private static List<EntityMappingType> withSubclasses(EntityPersister persister) {
    List<EntityMappingType> types = new ArrayList<>();
    types.add(persister);
    types.addAll(persister.getSubMappingTypes());
    return types;
  }

  /** No associations that come with a join, no values that are computed from other rows. */
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
      return isFlat(embedded.getEmbeddableTypeDescriptor());
    }
    return fetchable.getMappedFetchOptions().getTiming() != FetchTiming.IMMEDIATE;
  }
}
