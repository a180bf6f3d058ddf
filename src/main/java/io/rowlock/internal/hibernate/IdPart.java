package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;
import java.util.TimeZone;
import java.util.function.Consumer;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.metamodel.mapping.ModelPart;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * How an id, or a part of one, is taken apart into the values of columns, and put together from
 * them again.
 *
 * <p>Immutable; safe for use by any thread.
 */
sealed interface IdPart {

  /** Hands on the values that are stored, one for each column. */
  void write(
      @Nullable Object value,
      SharedSessionContractImplementor session,
      Consumer<@Nullable Object> stored);

  /** The value in the columns of the row; the cursor says where they begin and is moved on. */
  Object read(ResultSet row, Cursor cursor, SharedSessionContractImplementor session)
      throws SQLException;

  /** The value as messages show it. */
  String text(@Nullable Object value);

  /** The next column of a row, counted from one. */
  final class Cursor {

    private int column;

    Cursor(int first) {
      this.column = first;
    }

    int next() {
      return column++;
    }
  }

  /**
   * The part for a value of the mapping.
   *
   * @throws UnsupportedMappingException if it is neither a value nor made of values
   */
  static IdPart of(EntityTable entity, ModelPart part) {
    if (part instanceof BasicValuedModelPart basic) {
      return new Value(basic.getJdbcMapping());
    }
    if (part instanceof EmbeddableValuedModelPart embedded) {
      return of(entity, embedded.getEmbeddableTypeDescriptor());
    }
    throw new UnsupportedMappingException(
        entity.entityName(),
        "Rows of "
            + entity.entityName()
            + " (table "
            + entity.table()
            + ") cannot be locked by id: the part '"
            + part.getPartName()
            + "' of the id is an entity itself. Give the id class the id of that entity instead, with"
            + " @IdClass or @MapsId");
  }

  /** The part for an embeddable. */
  static IdPart of(EntityTable entity, EmbeddableMappingType embeddable) {
    List<AttributeMapping> attributes = new ArrayList<>();
    embeddable.getAttributeMappings().forEach(attributes::add);
    return new Parts(
        embeddable,
        attributes.stream().map(AttributeMapping::getAttributeName).toList(),
        attributes.stream().map(attribute -> of(entity, attribute)).toList());
  }

  /** One column. */
  record Value(JdbcMapping mapping) implements IdPart {

    @Override
    @SuppressWarnings("unchecked")
    public void write(
        @Nullable Object value,
        SharedSessionContractImplementor session,
        Consumer<@Nullable Object> stored) {
      Object relational = mapping.convertToRelationalValue(value);
      Class<?> wanted = mapping.getJdbcType().getPreferredJavaTypeClass(session);
      if (relational == null || wanted == null || wanted.isInstance(relational)) {
        stored.accept(relational);
      } else {
        JavaType<Object> type = (JavaType<Object>) mapping.getJdbcJavaType();
        stored.accept(inZone(type.unwrap(relational, wanted, session), session));
      }
    }

    /** What a timestamp is on the clock of hibernate.jdbc.time_zone, if that is set. */
    private static Object inZone(Object value, SharedSessionContractImplementor session) {
      TimeZone zone = session.getJdbcTimeZone();
      return zone != null && value instanceof Timestamp timestamp
          ? LocalDateTime.ofInstant(timestamp.toInstant(), zone.toZoneId())
          : value;
    }

    @Override
    public Object read(ResultSet row, Cursor cursor, SharedSessionContractImplementor session)
        throws SQLException {
      return mapping.convertToDomainValue(
          mapping.getJdbcValueExtractor().extract(row, cursor.next(), session));
    }

    @Override
    public String text(@Nullable Object value) {
      return value instanceof byte[] bytes
          ? HexFormat.of().formatHex(bytes)
          : String.valueOf(value);
    }
  }

  /** Several parts, each an attribute of an embeddable or of an id class. */
  record Parts(EmbeddableMappingType embeddable, List<String> names, List<IdPart> parts)
      implements IdPart {

    @Override
    public void write(
        @Nullable Object value,
        SharedSessionContractImplementor session,
        Consumer<@Nullable Object> stored) {
      for (int i = 0; i < parts.size(); i++) {
        parts.get(i).write(value == null ? null : embeddable.getValue(value, i), session, stored);
      }
    }

    @Override
    public Object read(ResultSet row, Cursor cursor, SharedSessionContractImplementor session)
        throws SQLException {
      Object[] values = new Object[parts.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = parts.get(i).read(row, cursor, session);
      }
      return embeddable.getRepresentationStrategy().getInstantiator().instantiate(() -> values);
    }

    @Override
    public String text(@Nullable Object value) {
      StringJoiner text = new StringJoiner(", ", "(", ")");
      for (int i = 0; i < parts.size(); i++) {
        Object part = value == null ? null : embeddable.getValue(value, i);
        text.add(names.get(i) + "=" + parts.get(i).text(part));
      }
      return text.toString();
    }
  }
}
