package io.rowlock.internal.hibernate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.hibernate.metamodel.mapping.EntityDiscriminatorMapping;
import org.hibernate.metamodel.mapping.ModelPart;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.sql.Template;

/**
 * The select list by which a native query reads a row as an entity: each column under its own name,
 * each formula under its attribute's. Hibernate's own list for a native query ({@code {alias.*}})
 * is not used, as it can give the columns of sibling classes each other's aliases.
 */
final class RowColumns {

  private final String alias;
  private final Map<String, String> columns = new LinkedHashMap<>();

  private RowColumns(String alias) {
    this.alias = alias;
  }

  /** The list for an entity of one table and all classes that its row can be of. */
  static String of(EntityPersister root, String alias) {
    RowColumns list = new RowColumns(alias);
    list.addAll(root.getIdentifierMapping());
    EntityDiscriminatorMapping discriminator = root.getDiscriminatorMapping();
    if (discriminator != null && !discriminator.isFormula()) {
      list.add(discriminator);
    }
    root.visitFetchables((index, fetchable) -> list.addAll(fetchable), null);
    return list.columns.entrySet().stream()
        .map(column -> column.getValue() + " as " + column.getKey())
        .collect(Collectors.joining(", "));
  }

  private void addAll(ModelPart part) {
    part.forEachSelectable((index, column) -> add(column));
  }

  private void add(SelectableMapping column) {
    String read = column.getCustomReadExpression();
    if (column.isFormula()) {
      addFormula(column, column.getSelectableName());
      if (column instanceof ModelPart attribute) {
        addFormula(column, attribute.getPartName());
      }
    } else if (read != null) {
      columns.put(column.getSelectionExpression(), reading(read));
    } else {
      columns.put(column.getSelectionExpression(), alias + "." + column.getSelectionExpression());
    }
  }

  /** Which name a formula is looked for by, depends on the version of Hibernate. */
  private void addFormula(SelectableMapping formula, String name) {
    if (!name.contains(Template.TEMPLATE)) {
      columns.put(name, reading(formula.getSelectionExpression()));
    }
  }

  private String reading(String template) {
    return template.replace(Template.TEMPLATE, alias);
  }
}
