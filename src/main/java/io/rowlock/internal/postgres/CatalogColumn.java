package io.rowlock.internal.postgres;

import java.util.Set;

/**
 * A column as the catalog describes it.
 *
 * @param name the stored name
 * @param notNull whether it is declared NOT NULL
 * @param domain whether its type is a domain
 * @param type the type in SQL, qualified; of a domain, the type it rests on
 * @param typeName the type's unqualified name in the catalog
 * @param modifier the type's modifier (a length, a precision), -1 for none
 * @param formatted the type with its modifier, as the server writes it
 */
record CatalogColumn(
    String name,
    boolean notNull,
    boolean domain,
    String type,
    String typeName,
    int modifier,
    String formatted) {

  /**
   * Types whose modifier is a length, and which an explicit cast cuts to that length without a
   * word.
   */
  private static final Set<String> LENGTHS = Set.of("varchar", "bpchar", "varbit", "bit");

  /** Types whose modifier is a precision to which a stored value is rounded. */
  private static final Set<String> PRECISIONS =
      Set.of("numeric", "time", "timetz", "timestamp", "timestamptz", "interval");

  /**
   * The value of an expression as this column would store it: of the column's type, rounded to its
   * precision, and refused by the server if it is too long. Comparing anything else would miss rows
   * that the insert then meets.
   */
  String asStored(String expression) {
    if (modifier >= 0 && PRECISIONS.contains(typeName)) {
      return "cast(" + expression + " as " + formatted + ")";
    }
    String cast = "cast(" + expression + " as " + type + ")";
    if (modifier >= 0 && LENGTHS.contains(typeName)) {
      // the server's own coercion of an assignment; its last argument says that it is not a cast
      return type + "(" + cast + ", " + modifier + ", false)";
    }
    return cast;
  }

  /** The stored value of a row, of the same type as {@link #asStored(String)}. */
  String value(String reference) {
    return domain ? "cast(" + reference + " as " + type + ")" : reference;
  }
}
