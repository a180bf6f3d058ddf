package io.rowlock.internal.hibernate;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hibernate.Version;

/** The oldest Hibernate that will do. */
final class SupportedHibernate {

  private static final int MAJOR = 7;
  private static final int MINOR = 1;
  private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+)\\..*");

  private SupportedHibernate() {}

  /**
   * Checks the version on the class path. One that does not tell its version (repackaged classes)
   * is let through.
   *
   * @throws IllegalArgumentException if it is too old
   */
  static void check() {
    check(Version.getVersionString());
  }

  static void check(String version) {
    Matcher numbers = NUMBERS.matcher(version);
    if (numbers.matches() && isOlder(number(numbers, 1), number(numbers, 2))) {
      throw new IllegalArgumentException(
          "Hibernate ORM " + MAJOR + "." + MINOR + " or newer is needed; found " + version);
    }
  }

  private static boolean isOlder(int major, int minor) {
    return major < MAJOR || (major == MAJOR && minor < MINOR);
  }

  private static int number(Matcher numbers, int group) {
    return Integer.parseInt(numbers.group(group));
  }
}
