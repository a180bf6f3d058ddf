package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.postgres.ArrayText;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.metamodel.mapping.BasicEntityIdentifierMapping;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.type.descriptor.java.JavaType;

/**
 * The id of an entity as one column: what it is called, which Java values it takes, how they are
 * sent and read.
 *
 * <p>Immutable; safe for use by any thread.
 */
final class IdColumn {

  /** Of these, Java and the database agree which values are equal. */
  private static final Set<Class<?>> EQUAL_ALIKE =
      Set.of(Long.class, Integer.class, Short.class, Byte.class, BigInteger.class, UUID.class);

  private final String entity;
  private final String name;
  private final JavaType<?> javaType;
  private final JdbcMapping mapping;

  private IdColumn(String entity, BasicEntityIdentifierMapping id) {
    this.entity = entity;
    this.name = id.getSelectionExpression();
    this.javaType = id.getJavaType();
    this.mapping = id.getJdbcMapping();
  }

  /**
   * The id column of the entity.
   *
   * @throws UnsupportedMappingException if the id is not one basic value
   */
  static IdColumn of(EntityTable entity) {
    if (entity.persister().getIdentifierMapping() instanceof BasicEntityIdentifierMapping basic) {
      return new IdColumn(entity.entityName(), basic);
    }
    throw new UnsupportedMappingException(
        entity.entityName(),
        "Rows of "
            + entity.entityName()
            + " (table "
            + entity.table()
            + ") cannot be locked by id: the id is composite or an association. Give the entity an id of"
            + " one column and make the present one a unique natural key");
  }

  /** The column. */
  String name() {
    return name;
  }

  /** Whether Java's equality of ids is the database's. */
  boolean equalAlike() {
    return EQUAL_ALIKE.contains(javaType.getJavaTypeClass());
  }

  /**
   * Refuses what is not an id.
   *
   * @throws IllegalArgumentException if the value is null or of another type
   */
  void check(Object id) {
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

  /**
   * The ids as the text of an array, each as the column stores it.
   *
   * @throws UnsupportedMappingException if the column's values have no text form
   */
  String arrayOf(Collection<?> ids, SharedSessionContractImplementor session) {
    List<?> stored = ids.stream().map(id -> stored(id, session)).toList();
    for (Object value : stored) {
      if (value == null || !ArrayText.supports(value.getClass())) {
        throw new UnsupportedMappingException(
            entity,
            "Rows of "
                + entity
                + " cannot be locked by id: its column "
                + name
                + " takes "
                + (value == null ? "null" : value.getClass().getName())
                + ". Supported are numbers, strings, characters, UUIDs and bytes");
      }
    }
    return ArrayText.of(stored);
  }

  /** The id in the given column of the row. */
  Object read(ResultSet row, int column, SharedSessionContractImplementor session)
      throws SQLException {
    Object value = mapping.getJdbcValueExtractor().extract(row, column, session);
    return mapping.convertToDomainValue(value);
  }

  @SuppressWarnings("unchecked")
  private Object stored(Object id, SharedSessionContractImplementor session) {
    Object relational = mapping.convertToRelationalValue(id);
    Class<?> wanted = mapping.getJdbcType().getPreferredJavaTypeClass(session);
    if (relational == null || wanted == null || wanted.isInstance(relational)) {
      return relational;
    }
    return ((JavaType<Object>) mapping.getJdbcJavaType()).unwrap(relational, wanted, session);
  }
}
