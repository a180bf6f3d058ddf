package io.rowlock.internal.postgres;

import java.util.Collection;
import java.util.HexFormat;
import java.util.StringJoiner;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The text form of a one-dimensional PostgreSQL array. It is sent as a parameter without a type, so
 * that the server gives it the type of what it is compared with: a {@code citext} column is
 * compared as {@code citext}, and an index on the column is used.
 *
 * <p>Stateless.
 */
public final class ArrayText {

  private ArrayText() {}

  /** Whether values of this class have a text form here. */
  public static boolean supports(Class<?> type) {
    return Number.class.isAssignableFrom(type)
        || type == String.class
        || type == Character.class
        || type == UUID.class
        || type == byte[].class;
  }

  /**
   * The array of the values, in their order.
   *
   * @throws IllegalArgumentException if a value is null or of a class that has no text form here
   */
  public static String of(Collection<?> values) {
    StringJoiner array = new StringJoiner(",", "{", "}");
    values.forEach(value -> array.add(element(value)));
    return array.toString();
  }

  /** The array of values that are text already, nulls among them, in their order. */
  public static String ofTexts(Iterable<? extends @Nullable String> values) {
    StringJoiner array = new StringJoiner(",", "{", "}");
    values.forEach(value -> array.add(value == null ? "NULL" : quoted(value)));
    return array.toString();
  }

  private static String element(Object value) {
    if (value instanceof Number || value instanceof UUID) {
      return value.toString();
    }
    if (value instanceof String || value instanceof Character) {
      return quoted(value.toString());
    }
    if (value instanceof byte[] bytes) {
      return quoted("\\x" + HexFormat.of().formatHex(bytes));
    }
    throw new IllegalArgumentException("No text form for " + value);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
