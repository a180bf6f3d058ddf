package io.rowlock.internal.postgres;

import java.util.Locale;

/** Names as SQL has them and as the catalog has them. */
public final class SqlIdentifiers {

  private SqlIdentifiers() {}

  /**
   * The catalog's name for an identifier in SQL: unquoted, or folded to lower case where it is not
   * quoted.
   */
  public static String stored(String identifier) {
    if (identifier.length() > 1 && identifier.startsWith("\"") && identifier.endsWith("\"")) {
      return identifier.substring(1, identifier.length() - 1).replace("\"\"", "\"");
    }
    return identifier.toLowerCase(Locale.ROOT);
  }

  /** An identifier in SQL for a catalog's name: as it is where that is safe, quoted otherwise. */
  public static String quoted(String name) {
    return name.matches("[a-z_][a-z0-9_]*") ? name : "\"" + name.replace("\"", "\"\"") + "\"";
  }
}
