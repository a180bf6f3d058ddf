package io.rowlock.internal.postgres;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index as the catalog describes it.
 *
 * @param name its name
 * @param qualified its name in SQL, with its schema
 * @param keys its key columns, without included ones
 * @param unique whether it is unique
 * @param exclusive whether a new row can clash with one that is there: it is unique or excludes
 * @param valid whether it is valid and ready
 * @param constraint the constraint that it implements, if any
 * @param immediate whether it checks at once; false for a deferrable constraint
 * @param predicate the predicate of a partial index
 * @param nullsNotDistinct whether two nulls are the same to it
 */
record CatalogIndex(
    String name,
    String qualified,
    List<Key> keys,
    boolean unique,
    boolean exclusive,
    boolean valid,
    @Nullable String constraint,
    boolean immediate,
    @Nullable String predicate,
    boolean nullsNotDistinct) {

  /**
   * One key of an index.
   *
   * @param column the column's name, null for an expression
   * @param definition the key in SQL
   * @param equality the operator by which the index tells values apart, in SQL
   * @param sameEquality whether the column itself tells values apart in the same way: the same
   *     collation or both deterministic ones
   */
  record Key(@Nullable String column, String definition, String equality, boolean sameEquality) {}

  /** Whether the index is on exactly these columns, in any order. */
  boolean isOn(List<String> columns) {
    return keys.size() == columns.size()
        && keys.stream().allMatch(key -> key.column() != null && columns.contains(key.column()));
  }

  /** What the constraint or the index is called in messages. */
  String called() {
    return constraint == null ? "index " + name : "constraint " + constraint;
  }
}
