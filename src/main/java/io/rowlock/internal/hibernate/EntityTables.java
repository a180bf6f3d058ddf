package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.hibernate.metamodel.mapping.EntityMappingType;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.persister.entity.UnionSubclassEntityPersister;

/** The tables of an entity: its own, its secondary ones, and those of its subclasses. Stateless. */
final class EntityTables {

  private EntityTables() {}

  /**
   * The tables that have to be locked for rows of the entity, a parent before its child.
   *
   * @throws UnsupportedMappingException if the entity is not stored in tables
   */
  static List<LockTable> of(EntityTable entity) {
    EntityPersister persister = entity.persister();
    List<String> id = entity.idColumns();
    if (persister instanceof UnionSubclassEntityPersister union && hasTables(entity)) {
      return ofUnion(union, id);
    }
    if (!hasTables(entity)) {
      throw new UnsupportedMappingException(
          entity.entityName(),
          "Rows of "
              + entity.entityName()
              + " cannot be locked: it is mapped to a query (@Subselect). Lock the entity of the table"
              + " that the query reads");
    }
    Map<String, LockTable> tables = new LinkedHashMap<>();
    tables.put(entity.table(), new LockTable(entity.table(), id, true));
    for (EntityMappingType type : withSubclasses(persister)) {
      List<LockTable> rootLast = new ArrayList<>();
      type.visitConstraintOrderedTables(
          (table, keyColumns) -> {
            List<String> key = new ArrayList<>();
            keyColumns.get().accept((position, column) -> key.add(column.getSelectionExpression()));
            rootLast.add(new LockTable(table, List.copyOf(key), false));
          });
      for (int i = rootLast.size() - 1; i >= 0; i--) {
        tables.putIfAbsent(rootLast.get(i).name(), rootLast.get(i));
      }
    }
    return List.copyOf(tables.values());
  }

  /** Whether the entity is stored in tables; otherwise it is mapped to a query. */
  static boolean hasTables(EntityTable entity) {
    return entity.persister() instanceof UnionSubclassEntityPersister union
        ? !ofUnion(union, List.of()).isEmpty()
        : !entity.table().startsWith("(");
  }

  /** Each class that can have instances has a table with all of the columns. */
  private static List<LockTable> ofUnion(UnionSubclassEntityPersister persister, List<String> id) {
    Map<String, LockTable> tables = new TreeMap<>();
    for (EntityMappingType type : withSubclasses(persister)) {
      if (!type.isAbstract()
          && type.getEntityPersister() instanceof UnionSubclassEntityPersister one) {
        tables.put(one.getRootTableName(), new LockTable(one.getRootTableName(), id, true));
      }
    }
    return List.copyOf(tables.values());
  }

  private static List<EntityMappingType> withSubclasses(EntityPersister persister) {
    List<EntityMappingType> types = new ArrayList<>();
    types.add(persister);
    types.addAll(
        persister.getSubMappingTypes().stream()
            .sorted(Comparator.comparing(EntityMappingType::getEntityName))
            .toList());
    return types;
  }
}
