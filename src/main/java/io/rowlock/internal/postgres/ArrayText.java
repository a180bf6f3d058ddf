package io.rowlock.internal.postgres;

import java.sql.Date;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Set;
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

  /** Their text form is the one that PostgreSQL reads, and has nothing to be quoted. */
  private static final Set<Class<?>> PLAIN = Set.of(UUID.class, Boolean.class);

  /** In the forms of ISO 8601, which PostgreSQL reads, from the year 1 to 9999. */
  private static final Set<Class<?>> ISO =
      Set.of(
          LocalDate.class,
          LocalDateTime.class,
          OffsetDateTime.class,
          Instant.class,
          Date.class,
          Timestamp.class);

  private ArrayText() {}

  /** Whether values of this class have a text form here. */
  public static boolean supports(Class<?> type) {
    return Number.class.isAssignableFrom(type)
        || type == String.class
        || type == Character.class
        || type == byte[].class
        || PLAIN.contains(type)
        || ISO.contains(type);
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
    if (value instanceof Number || PLAIN.contains(value == null ? Void.class : value.getClass())) {
      return value.toString();
    }
    if (value instanceof String || value instanceof Character) {
      return quoted(value.toString());
    }
    if (value instanceof byte[] bytes) {
      return quoted("\\x" + HexFormat.of().formatHex(bytes));
    }
    if (value instanceof Timestamp timestamp) {
      // as the driver sends it: on the clock of this JVM, whose zone the session has
      return quoted(timestamp.toLocalDateTime().toString());
    }
    if (value != null && ISO.contains(value.getClass())) {
      return quoted(value.toString());
    }
    throw new IllegalArgumentException("No text form for " + value);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
