package io.rowlock.internal.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.jdbc.TimestampUtils;
import org.postgresql.util.HStoreConverter;
import org.postgresql.util.PGobject;

/**
 * The text that the driver would send for a parameter. Whoever knows how to bind a value to a
 * statement binds it to {@link #statement()}, and {@link #taken()} answers it as text: so the
 * values of many rows become one array for each column, whatever their type is. An array of the
 * type itself would not do: arrays of arrays are flattened, and not every type has a binary form.
 *
 * <p>For one connection and one thread.
 */
public final class ParameterText implements InvocationHandler {

  private final Connection connection;
  private final TimestampUtils times;
  private final PreparedStatement statement;
  private Text last = Text.NULL;

  /**
   * A parameter as text.
   *
   * @param text what the server reads; null for NULL
   * @param type the type that the driver would have declared; null if it leaves that to the server
   */
  public record Text(@Nullable String text, @Nullable String type) {

    static final Text NULL = new Text(null, null);
  }

  /**
   * For values of the given connection.
   *
   * @throws SQLException if it is not one of PostgreSQL's driver
   */
  @SuppressWarnings("deprecation") // times as the driver itself writes them; there is no other way
  public ParameterText(Connection connection) throws SQLException {
    this.connection = connection;
    this.times = connection.unwrap(BaseConnection.class).getTimestampUtils();
    this.statement =
        (PreparedStatement)
            Proxy.newProxyInstance(
                ParameterText.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                this);
  }

  /** Takes the value of one parameter; cannot do anything else. */
  public PreparedStatement statement() {
    return statement;
  }

  /** The value that was bound last. */
  public Text taken() {
    Text taken = last;
    last = Text.NULL;
    return taken;
  }

  @Override
  public @Nullable Object invoke(
      Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    String name = method.getName();
    if (name.equals("setNull")) {
      last = Text.NULL;
      return null;
    }
    if (name.startsWith("set") && arguments != null && arguments.length >= 2) {
      // null stands for the time zone of the virtual machine, as for the driver
      Calendar calendar =
          arguments.length == 3 && arguments[2] instanceof Calendar given ? given : null;
      last = text(arguments[1], calendar);
      return null;
    }
    if (name.equals("getConnection")) {
      return connection;
    }
    if (method.getDeclaringClass() == Object.class) {
      try {
        return method.invoke(this, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause() == null ? e : e.getCause();
      }
    }
    throw new SQLException("A parameter is taken as text here; " + name + " is not to be had");
  }

  private Text text(@Nullable Object value, @Nullable Calendar calendar) throws SQLException {
    if (value == null) {
      return Text.NULL;
    }
    String typed = typeOf(value);
    if (typed != null) {
      return new Text(
          value instanceof byte[] bytes
              ? "\\x" + HexFormat.of().formatHex(bytes)
              : value.toString(),
          typed);
    }
    return new Text(untyped(value, calendar), null);
  }

  private static @Nullable String typeOf(Object value) {
    if (value instanceof String || value instanceof Character) {
      return "text";
    }
    if (value instanceof Long) {
      return "bigint";
    }
    if (value instanceof Integer) {
      return "integer";
    }
    if (value instanceof Short || value instanceof Byte) {
      return "smallint";
    }
    if (value instanceof Double) {
      return "double precision";
    }
    if (value instanceof Float) {
      return "real";
    }
    if (value instanceof Number) {
      return "numeric";
    }
    if (value instanceof Boolean) {
      return "boolean";
    }
    if (value instanceof UUID) {
      return "uuid";
    }
    return value instanceof byte[] ? "bytea" : null;
  }

  private @Nullable String untyped(Object value, @Nullable Calendar calendar) throws SQLException {
    if (value instanceof Timestamp timestamp) {
      return times.toString(calendar, timestamp);
    }
    if (value instanceof Date date) {
      return times.toString(calendar, date);
    }
    if (value instanceof Time time) {
      return times.toString(calendar, time);
    }
    if (value instanceof OffsetDateTime time) {
      return times.toString(time);
    }
    if (value instanceof Instant instant) {
      return times.toString(instant.atOffset(ZoneOffset.UTC));
    }
    if (value instanceof LocalDateTime time) {
      return times.toString(time);
    }
    if (value instanceof LocalDate date) {
      return times.toString(date);
    }
    if (value instanceof LocalTime time) {
      return times.toString(time);
    }
    if (value instanceof OffsetTime time) {
      return times.toString(time);
    }
    if (value instanceof PGobject object) {
      return object.getValue();
    }
    if (value instanceof SQLXML xml) {
      return xml.getString();
    }
    if (value instanceof Map<?, ?> map) {
      return HStoreConverter.toString(map);
    }
    if (value instanceof Array) {
      return value.toString();
    }
    throw new SQLException("A value of " + value.getClass().getName() + " has no text form here");
  }
}
