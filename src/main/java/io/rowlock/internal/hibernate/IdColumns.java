package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.postgres.ArrayText;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.metamodel.mapping.BasicEntityIdentifierMapping;
import org.hibernate.metamodel.mapping.CompositeIdentifierMapping;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.EntityIdentifierMapping;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * The id of an entity as columns: what they are called, which Java values the id takes, how they
 * are sent and read.
 *
 * <p>Immutable; safe for use by any thread.
 */
final class IdColumns {

  /** Of these, Java and the database agree which values are equal. */
  private static final Set<Class<?>> EQUAL_ALIKE =
      Set.of(Long.class, Integer.class, Short.class, Byte.class, BigInteger.class, UUID.class);

  private final String entity;
  private final List<SelectableMapping> columns;
  private final JavaType<?> javaType;
  private final IdPart whole;

  private IdColumns(
      String entity, List<SelectableMapping> columns, JavaType<?> javaType, IdPart whole) {
    this.entity = entity;
    this.columns = columns;
    this.javaType = javaType;
    this.whole = whole;
  }

  /**
   * The id of the entity.
   *
   * @throws UnsupportedMappingException if the id has no class of its own
   */
  static IdColumns of(EntityTable entity) {
    EntityIdentifierMapping id = entity.persister().getIdentifierMapping();
    if (id instanceof BasicEntityIdentifierMapping basic) {
      return new IdColumns(
          entity.entityName(),
          EntityTable.columnsOf(id),
          basic.getJavaType(),
          IdPart.of(entity, id));
    }
    if (id instanceof CompositeIdentifierMapping composite && composite.hasContainingClass()) {
      EmbeddableMappingType type = composite.getMappedIdEmbeddableTypeDescriptor();
      return new IdColumns(
          entity.entityName(), columns(type), type.getMappedJavaType(), IdPart.of(entity, type));
    }
    throw new UnsupportedMappingException(
        entity.entityName(),
        "Rows of "
            + entity.entityName()
            + " (table "
            + entity.table()
            + ") cannot be locked by id: several @Id attributes, or an association that is the @Id,"
            + " have no class that could stand for the id. Add an @IdClass, or map the id of the"
            + " association with @MapsId");
  }

  private static List<SelectableMapping> columns(EmbeddableMappingType type) {
    List<SelectableMapping> columns = new ArrayList<>();
    type.forEachSelectable((index, column) -> columns.add(column));
    return List.copyOf(columns);
  }

  /** The columns. */
  List<String> names() {
    return columns.stream().map(SelectableMapping::getSelectionExpression).toList();
  }

  /** Whether Java's equality of ids is the database's. */
  boolean equalAlike() {
    return columns.stream().map(SelectableMapping::getJdbcMapping).allMatch(IdColumns::equalAlike);
  }

  private static boolean equalAlike(JdbcMapping mapping) {
    return mapping.getValueConverter() == null
        && EQUAL_ALIKE.contains(mapping.getJdbcJavaType().getJavaTypeClass());
  }

  /** The id as messages show it. */
  String text(Object id) {
    return whole.text(id);
  }

  /**
   * Refuses what is not an id.
   *
   * @throws IllegalArgumentException if the value is null or of another type
   */
  void check(@Nullable Object id) {
    if (id == null) {
      throw new IllegalArgumentException("An id of " + entity + " to be locked is null");
    }
    if (!javaType.isInstance(id)) {
      throw new IllegalArgumentException(
          "The id "
              + id
              + " is of type "
              + id.getClass().getName()
              + ", but ids of "
              + entity
              + " are of type "
              + javaType.getJavaTypeClass().getName());
    }
  }

  /** The ids as the texts of arrays, one for each column, each value as the column stores it. */
  List<String> arraysOf(Collection<?> ids, SharedSessionContractImplementor session) {
    return valuesOf(ids, session).stream().map(ArrayText::of).toList();
  }

  /**
   * The ids as the values of each column.
   *
   * @throws IllegalArgumentException if a part of an id is null
   * @throws UnsupportedMappingException if a column's values have no text form
   */
  List<List<Object>> valuesOf(Collection<?> ids, SharedSessionContractImplementor session) {
    List<List<Object>> values = new ArrayList<>();
    columns.forEach(column -> values.add(new ArrayList<>(ids.size())));
    for (Object id : ids) {
      int[] column = {0};
      whole.write(id, session, value -> values.get(column[0]).add(checked(id, column[0]++, value)));
    }
    return values;
  }

  private Object checked(Object id, int column, @Nullable Object value) {
    String name = columns.get(column).getSelectionExpression();
    if (value == null) {
      throw new IllegalArgumentException(
          "The id " + text(id) + " of " + entity + " has null for its column " + name);
    }
    if (!ArrayText.supports(value.getClass())) {
      throw new UnsupportedMappingException(
          entity,
          "Rows of "
              + entity
              + " cannot be locked by id: its column "
              + name
              + " takes "
              + value.getClass().getName()
              + ". Supported are numbers, strings, characters, truth values, dates, timestamps, UUIDs"
              + " and bytes");
    }
    return value;
  }

  /** The id in the row, whose columns begin with the given one. */
  Object read(ResultSet row, int first, SharedSessionContractImplementor session)
      throws SQLException {
    return whole.read(row, new IdPart.Cursor(first), session);
  }
}
