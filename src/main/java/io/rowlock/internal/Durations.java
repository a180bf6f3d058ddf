package io.rowlock.internal;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads durations as they are written in settings. */
public final class Durations {

  private static final Pattern SHORT = Pattern.compile("(\\d{1,15})\\s*(ms|s|min|h)");

  private Durations() {}

  /**
   * Reads a {@link Duration} or a text: ISO-8601 ({@code PT10S}), or a whole number with a unit
   * ({@code 250ms}, {@code 10s}, {@code 5min}, {@code 1h}).
   *
   * @throws IllegalArgumentException if it is neither
   */
  public static Duration parse(Object value) {
    if (value instanceof Duration duration) {
      return duration;
    }
    String text = value.toString().strip();
    Matcher number = SHORT.matcher(text.toLowerCase(Locale.ROOT));
    if (number.matches()) {
      return of(Long.parseLong(number.group(1)), number.group(2));
    }
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "a duration is needed, as PT10S or with a unit as in 250ms, 10s, 5min, 1h", e);
    }
  }

  private static Duration of(long number, String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "min" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }
}
