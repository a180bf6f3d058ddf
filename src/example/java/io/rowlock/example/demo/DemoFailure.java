package io.rowlock.example.demo;

import java.util.Locale;

/** Something that Rowlock promises has turned out otherwise. */
final class DemoFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private DemoFailure(String message) {
    super(message);
  }

  /** Fails unless the condition holds. */
  static void unless(boolean condition, String format, Object... arguments) {
    if (!condition) {
      throw new DemoFailure(String.format(Locale.ROOT, format, arguments));
    }
  }

  /** Fails unless what was found is what was expected. */
  static void unlessEqual(String what, Object expected, Object found) {
    unless(expected.equals(found), "%s: expected %s, found %s", what, expected, found);
  }
}
