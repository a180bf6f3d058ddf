package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.ParameterText;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.metamodel.mapping.SelectableMapping;
import org.hibernate.query.NativeQuery;
import org.hibernate.type.BasicType;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * A value on its way into a column: already converted by the attribute's converter, bound by the
 * column's type.
 *
 * @param value the value as a flush would bind it
 * @param mapping how it is bound
 */
record BoundValue(@Nullable Object value, JdbcMapping mapping) {

  static BoundValue of(@Nullable Object value, SelectableMapping column) {
    return new BoundValue(value, column.getJdbcMapping());
  }

  /** Binds the value to a query's parameter, counted from one. */
  void bind(NativeQuery<?> query, int position, SessionFactoryImplementor factory) {
    bind(query, position, value, type(factory));
  }

  /** The text of the value, as the driver would send it. */
  ParameterText.Text text(ParameterText texts, SharedSessionContractImplementor session)
      throws SQLException {
    text(texts.statement(), type(session.getFactory()), session);
    return texts.taken();
  }

  @SuppressWarnings("unchecked") // see bind
  private <T> void text(
      PreparedStatement statement, BasicType<T> type, SharedSessionContractImplementor session)
      throws SQLException {
    if (value == null) {
      statement.setNull(1, type.getJdbcType().getDdlTypeCode());
    } else {
      type.getJdbcValueBinder().bind(statement, (T) value, 1, session);
    }
  }

  @SuppressWarnings("unchecked") // the mapping is the one by which a flush binds this value
  private static <T> void bind(
      NativeQuery<?> query, int position, @Nullable Object value, BasicType<T> type) {
    query.setParameter(position, (T) value, type);
  }

  /**
   * A query would convert the value once more, and a null never: so a converted column is bound by
   * its plain type.
   */
  private BasicType<?> type(SessionFactoryImplementor factory) {
    if (mapping.getValueConverter() == null && mapping instanceof BasicType<?> type) {
      return type;
    }
    return plain(factory, mapping.getJdbcJavaType());
  }

  private <J> BasicType<J> plain(SessionFactoryImplementor factory, JavaType<J> relational) {
    return factory
        .getTypeConfiguration()
        .getBasicTypeRegistry()
        .resolve(relational, mapping.getJdbcType());
  }
}
