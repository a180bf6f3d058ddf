package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.create.NaturalKey;
import io.rowlock.internal.postgres.CreateStatements;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.generator.Generator;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.ModelPart;
import org.hibernate.metamodel.mapping.SelectableMapping;

/**
 * What the mapping says about creating an entity's rows once by a key.
 *
 * @param table the entity's table
 * @param key the names of the key's attributes
 * @param keyColumns the key's columns
 * @param rowColumns the select list by which a row is read
 */
record CreatePlan(EntityTable table, List<String> key, List<String> keyColumns, String rowColumns) {

  /**
   * The plan for an entity and a key.
   *
   * @throws IllegalArgumentException if the key names an attribute that does not exist
   * @throws UnsupportedMappingException if the mapping cannot be honoured
   */
  static CreatePlan of(
      SessionFactoryImplementor factory, EntityTable table, NaturalKey naturalKey) {
    MappingLimits.checkInsert(table, factory);
    List<String> key = NaturalKeys.attributesOf(table, naturalKey);
    List<String> columns = new ArrayList<>();
    for (String name : key) {
      columns.addAll(keyColumns(table, name));
    }
    return new CreatePlan(
        table,
        key,
        List.copyOf(columns),
        RowColumns.of(
            factory
                .getMappingMetamodel()
                .getEntityDescriptor(table.persister().getRootEntityName()),
            CreateStatements.ROW));
  }

  private static List<String> keyColumns(EntityTable table, String name) {
    AttributeMapping attribute = table.attribute(name).orElse(null);
    ModelPart part = attribute == null ? table.persister().getIdentifierMapping() : attribute;
    Generator generator =
        attribute == null ? table.persister().getGenerator() : attribute.getGenerator();
    if (generator != null
        && generator.generatesSometimes()
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
