package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.create.NaturalKey;
import io.rowlock.internal.postgres.CreateStatements;
import io.rowlock.internal.postgres.KeyWanted;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.generator.Generator;
import org.hibernate.generator.internal.TenantIdGeneration;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.ModelPart;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.jspecify.annotations.Nullable;

/**
 * What the mapping says about creating an entity's rows once by a key.
 *
 * @param table the entity's table
 * @param key the names of the key's attributes
 * @param keyColumns the key's columns
 * @param tenantColumn the one of them that tells tenants apart, null if none does
 * @param predicate the predicate of a partial index that is to arbitrate, null without one
 * @param rowColumns the select list by which a row is read
 */
record CreatePlan(
    EntityTable table,
    List<String> key,
    List<String> keyColumns,
    @Nullable String tenantColumn,
    @Nullable String predicate,
    String rowColumns) {

  /**
   * The plan for an entity and a key.
   *
   * @throws IllegalArgumentException if the key names an attribute that does not exist
   * @throws UnsupportedMappingException if the mapping cannot be honoured
   */
  static CreatePlan of(SessionImplementor session, EntityTable table, NaturalKey naturalKey) {
    SessionFactoryImplementor factory = session.getFactory();
    MappingLimits.checkInsert(table, factory, naturalKey.predicate().isPresent());
    List<String> key = new ArrayList<>(NaturalKeys.attributesOf(session, table, naturalKey));
    AttributeMapping tenant = table.tenant().orElse(null);
    if (tenant != null && !key.contains(tenant.getAttributeName())) {
      key.add(tenant.getAttributeName());
    }
    List<String> columns = new ArrayList<>();
    for (String name : key) {
      columns.addAll(keyColumns(table, name));
    }
    return new CreatePlan(
        table,
        List.copyOf(key),
        List.copyOf(columns),
        tenant == null ? null : EntityTable.columnsOf(tenant).get(0).getSelectionExpression(),
        naturalKey.predicate().orElse(null),
        RowColumns.of(
            factory
                .getMappingMetamodel()
                .getEntityDescriptor(table.persister().getRootEntityName()),
            CreateStatements.ROW));
  }

  /**
   * The key as the catalog is asked for it.
   *
   * @param ids where the ids of new rows come from
   */
  KeyWanted wanted(IdSource ids) {
    return new KeyWanted(
        table.entityName(),
        table.table(),
        keyColumns,
        tenantColumn,
        predicate,
        table.restriction().orElse(null),
        ids.isFresh() ? table.idColumns() : List.of());
  }

  /** What the key is called in messages. */
  String keyText() {
    return "("
        + String.join(", ", keyColumns)
        + ")"
        + (predicate == null ? "" : " where " + predicate);
  }

  private static List<String> keyColumns(EntityTable table, String name) {
    AttributeMapping attribute = table.attribute(name).orElse(null);
    ModelPart part = attribute == null ? table.persister().getIdentifierMapping() : attribute;
    Generator generator =
        attribute == null ? table.persister().getGenerator() : attribute.getGenerator();
    if (generator != null
        && generator.generatesSometimes()
        && !(generator instanceof TenantIdGeneration)
        && (attribute != null || !IdSource.isAssigned(table.persister()))) {
      throw unusable(table, name, "its value is generated");
    }
    if (attribute != null && attribute.isPluralAttributeMapping()) {
      throw unusable(table, name, "it is a collection");
    }
    List<String> columns = new ArrayList<>();
    for (SelectableMapping column : EntityTable.columnsOf(part)) {
      if (column.isFormula() || (attribute != null && !column.isInsertable())) {
        throw unusable(table, name, "its column is not inserted");
      }
      columns.add(column.getSelectionExpression());
    }
    if (columns.isEmpty()) {
      throw unusable(table, name, "it has no column in the entity's table");
    }
    return columns;
  }

  private static UnsupportedMappingException unusable(EntityTable table, String name, String why) {
    return new UnsupportedMappingException(
        table.entityName(),
        "The attribute '"
            + name
            + "' cannot be part of the natural key of "
            + table.entityName()
            + ": "
            + why
            + ". Name attributes that the application sets and that are stored in the entity's table");
  }
}
