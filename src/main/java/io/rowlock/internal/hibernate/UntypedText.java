package io.rowlock.internal.hibernate;

import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import org.hibernate.type.BasicType;
import org.hibernate.type.descriptor.ValueBinder;
import org.hibernate.type.descriptor.ValueExtractor;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.JavaType;
import org.hibernate.type.descriptor.java.StringJavaType;
import org.hibernate.type.descriptor.jdbc.BasicBinder;
import org.hibernate.type.descriptor.jdbc.JdbcType;
import org.hibernate.type.descriptor.jdbc.VarcharJdbcType;
import org.hibernate.type.internal.BasicTypeImpl;

/** A text parameter to which the server, not the driver, gives a type. */
final class UntypedText implements JdbcType {

  private static final long serialVersionUID = 1L;

  /** What a parameter of a native query is bound as. */
  static final BasicType<String> TYPE =
      new BasicTypeImpl<>(StringJavaType.INSTANCE, new UntypedText());

  private UntypedText() {}

  @Override
  public int getJdbcTypeCode() {
    return Types.OTHER;
  }

  @Override
  public <X> ValueBinder<X> getBinder(JavaType<X> javaType) {
    return new BasicBinder<>(javaType, this) {

      private static final long serialVersionUID = 1L;

      @Override
      protected void doBind(PreparedStatement statement, X value, int index, WrapperOptions options)
          throws SQLException {
        statement.setObject(index, value, Types.OTHER);
      }

      @Override
      protected void doBind(
          CallableStatement statement, X value, String name, WrapperOptions options)
          throws SQLException {
        statement.setObject(name, value, Types.OTHER);
      }
    };
  }

  @Override
  public <X> ValueExtractor<X> getExtractor(JavaType<X> javaType) {
    return VarcharJdbcType.INSTANCE.getExtractor(javaType);
  }
}
