package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.SqlIdentifiers;
import jakarta.persistence.Column;
import jakarta.persistence.Index;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.Table;
import jakarta.persistence.UniqueConstraint;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.jspecify.annotations.Nullable;

/**
 * The unique constraints that the annotations of an entity declare, as sets of attributes. The
 * run-time model of Hibernate has no trace of them.
 */
final class DeclaredKeys {

  private static final Pattern COMMA = Pattern.compile(",");

  private final EntityTable table;
  private final Set<List<String>> keys = new LinkedHashSet<>();

  private DeclaredKeys(EntityTable table) {
    this.table = table;
  }

  /** The attributes of each declared unique constraint, in the order in which they are found. */
  static List<List<String>> of(EntityTable table) {
    DeclaredKeys declared = new DeclaredKeys(table);
    table.attributes().forEach(declared::ofAttribute);
    for (Class<?> type = table.type(); type != null; type = type.getSuperclass()) {
      declared.ofTable(type.getAnnotation(Table.class));
    }
    return List.copyOf(declared.keys);
  }

  private void ofAttribute(AttributeMapping attribute) {
    Column column = annotation(attribute, Column.class);
    JoinColumn join = annotation(attribute, JoinColumn.class);
    if ((column != null && column.unique()) || (join != null && join.unique())) {
      keys.add(List.of(attribute.getAttributeName()));
    }
  }

  private void ofTable(@Nullable Table annotation) {
    if (annotation == null) {
      return;
    }
    for (UniqueConstraint constraint : annotation.uniqueConstraints()) {
      ofColumns(List.of(constraint.columnNames()));
    }
    for (Index index : annotation.indexes()) {
      if (index.unique()) {
        ofColumns(COMMA.splitAsStream(index.columnList()).toList());
      }
    }
  }

  private void ofColumns(List<String> names) {
    List<String> wanted =
        names.stream().map(DeclaredKeys::withoutOrder).map(DeclaredKeys::folded).toList();
    List<String> attributes = new ArrayList<>();
    Set<String> covered = new LinkedHashSet<>();
    for (AttributeMapping attribute : table.attributes()) {
      Set<String> columns = names(attribute);
      if (!columns.isEmpty() && wanted.stream().anyMatch(columns::contains)) {
        attributes.add(attribute.getAttributeName());
        covered.addAll(columns);
      }
    }
    if (covered.containsAll(wanted)) {
      keys.add(List.copyOf(attributes));
    }
  }

  /**
   * The names by which a constraint may mean the attribute: of its columns, before and after naming
   * strategies.
   */
  private static Set<String> names(AttributeMapping attribute) {
    Set<String> names = new LinkedHashSet<>();
    for (SelectableMapping column : EntityTable.columnsOf(attribute)) {
      names.add(folded(column.getSelectionExpression()));
    }
    if (names.size() == 1) {
      names.add(folded(attribute.getAttributeName()));
      Column column = annotation(attribute, Column.class);
      if (column != null && !column.name().isEmpty()) {
        names.add(folded(column.name()));
      }
    }
    return names;
  }

  /** The column of an entry like {@code slug desc}. */
  private static String withoutOrder(String entry) {
    String column = entry.strip();
    int end = column.indexOf(' ');
    return end < 0 ? column : column.substring(0, end);
  }

  private static String folded(String name) {
    return SqlIdentifiers.stored(name).toLowerCase(Locale.ROOT);
  }

  private static <A extends java.lang.annotation.Annotation> @Nullable A annotation(
      AttributeMapping attribute, Class<A> type) {
    Member member = attribute.getPropertyAccess().getGetter().getMember();
    return member instanceof AnnotatedElement element ? element.getAnnotation(type) : null;
  }
}
