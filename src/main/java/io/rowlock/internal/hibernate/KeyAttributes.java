package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.postgres.SqlIdentifiers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.ModelPart;
import org.hibernate.metamodel.mapping.SelectableMapping;

/** Finds the attributes that are stored in the columns of a named constraint. */
final class KeyAttributes {

  private final EntityTable table;
  private final String constraint;
  private final List<String> columns;
  private final List<String> attributes = new ArrayList<>();
  private final Set<String> covered = new HashSet<>();

  private KeyAttributes(EntityTable table, String constraint, List<String> columns) {
    this.table = table;
    this.constraint = constraint;
    this.columns = columns;
  }

  /**
   * The names of the attributes.
   *
   * @param columns the columns as the catalog has them
   * @throws UnsupportedMappingException if a column is not mapped, or an attribute only in part
   */
  static List<String> of(EntityTable table, String constraint, List<String> columns) {
    KeyAttributes key = new KeyAttributes(table, constraint, columns);
    String id = table.idAttribute();
    if (id != null) {
      key.add(id, table.persister().getIdentifierMapping(), true);
    }
    for (AttributeMapping attribute : table.attributes()) {
      if (!attribute.isPluralAttributeMapping()) {
        key.add(attribute.getAttributeName(), attribute, table.isInsertable(attribute));
      }
    }
    for (String column : columns) {
      if (!key.covered.contains(column)) {
        throw key.problem(
            "its column "
                + SqlIdentifiers.quoted(column)
                + " is none that the application sets by an attribute of the entity",
            "Map it to an attribute that is inserted");
      }
    }
    return key.attributes;
  }

  private void add(String name, ModelPart part, boolean insertable) {
    List<String> own =
        EntityTable.columnsOf(part).stream()
            .filter(column -> !column.isFormula())
            .map(SelectableMapping::getSelectionExpression)
            .map(SqlIdentifiers::stored)
            .toList();
    // two attributes can have a column in common: an id and a reference
    if (!insertable || own.isEmpty() || covered.containsAll(own)) {
      return;
    }
    if (columns.containsAll(own)) {
      attributes.add(name);
      covered.addAll(own);
    } else if (own.stream().anyMatch(columns::contains)) {
      throw problem(
          "of the columns of the attribute '" + name + "', " + own + ", it has only some",
          "Map the columns of the key to attributes of their own");
    }
  }

  private UnsupportedMappingException problem(String why, String remedy) {
    return new UnsupportedMappingException(
        table.entityName(),
        table.entityName()
            + " cannot be created once by "
            + constraint
            + " "
            + columns
            + " of table "
            + table.table()
            + ": "
            + why
            + ". "
            + remedy);
  }
}
