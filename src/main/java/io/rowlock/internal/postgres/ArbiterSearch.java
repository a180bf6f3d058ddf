package io.rowlock.internal.postgres;

import io.rowlock.UnsupportedMappingException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Looks for the index that can arbitrate {@code ON CONFLICT} for a key, and says why there is none.
 *
 * @param entity the entity's name
 * @param table the table in SQL
 * @param key the key's columns in SQL
 */
record ArbiterSearch(String entity, String table, List<String> key) {

  /**
   * The arbiter.
   *
   * @throws UnsupportedMappingException if there is none
   */
  CatalogIndex in(CatalogTable found) {
    if (!found.kind().equals("r") && !found.kind().equals("p")) {
      throw problem("it is a view or a foreign table, not a table", "Map the table itself");
    }
    if (found.inherited()) {
      throw problem(
          "other tables inherit from it, and a unique index holds for one table only",
          "Use partitions instead of inheritance, or create the rows without Rowlock");
    }
    for (String column : key) {
      if (found.column(column) == null) {
        throw problem(
            "it has no column " + column, "Bring the table and the mapping into agreement");
      }
    }
    List<String> columns = key.stream().map(SqlIdentifiers::stored).toList();
    List<CatalogIndex> exact =
        found.indexes().stream().filter(i -> i.unique() && i.isOn(columns)).toList();
    for (CatalogIndex index : exact) {
      // one such index is enough to make the server refuse, even beside a usable one
      if (!index.immediate()) {
        throw problem(
            index.called() + " is deferrable, and ON CONFLICT cannot use a deferrable constraint",
            index.constraint() == null
                ? addConstraint()
                : "Make it immediate: alter table "
                    + table
                    + " drop constraint "
                    + SqlIdentifiers.quoted(index.constraint())
                    + ", add constraint "
                    + SqlIdentifiers.quoted(index.constraint())
                    + " unique ("
                    + columns()
                    + ")");
      }
    }
    return exact.stream()
        .filter(i -> i.valid() && i.predicate() == null)
        .filter(i -> i.keys().stream().allMatch(CatalogIndex.Key::sameEquality))
        .findFirst()
        .orElseThrow(() -> noArbiter(found, exact, columns));
  }

  /** That the table does not exist. */
  UnsupportedMappingException noTable() {
    return problem(
        "there is no such table, or this role's search path does not lead to it",
        "Create it, or correct the mapping's schema");
  }

  private UnsupportedMappingException noArbiter(
      CatalogTable found, List<CatalogIndex> exact, List<String> columns) {
    for (CatalogIndex index : exact) {
      if (index.predicate() != null) {
        return problem(
            index.called() + " is partial (where " + index.predicate() + ")",
            "A key must be unique in the whole table. " + addConstraint());
      }
      if (!index.valid()) {
        return problem(
            index.called() + " is INVALID: building it failed or has not ended",
            found.partitionKey() == null
                ? "Remove what it found to be duplicate, then: drop index "
                    + SqlIdentifiers.quoted(index.name())
                    + "; "
                    + addConstraint()
                : "Attach an index of every partition to it");
      }
      return problem(
          index.called() + " compares with another collation or operator class than the column",
          "Give index and column the same collation");
    }
    if (found.partitionKey() != null) {
      return problem(
          "it is partitioned by "
              + found.partitionKey()
              + " and has no unique index of its own on these columns; those of single partitions do"
              + " not count",
          "Add the partition key to the natural key, then: " + addConstraint());
    }
    for (CatalogIndex index : found.indexes()) {
      if (index.unique() && onExpressionOf(index, columns)) {
        return problem(
            index.called()
                + " is on the expression "
                + index.keys().stream()
                    .map(CatalogIndex.Key::definition)
                    .collect(Collectors.joining(", ")),
            "A key must be unique as it is stored. "
                + addConstraint()
                + " (for a key that ignores case, give the column the type citext or a"
                + " nondeterministic collation)");
      }
    }
    for (CatalogIndex index : found.indexes()) {
      if (!index.unique() && index.isOn(columns)) {
        return problem("index " + index.name() + " is not unique", addConstraint());
      }
    }
    return problem("it has no unique index on exactly these columns", addConstraint());
  }

  private static boolean onExpressionOf(CatalogIndex index, List<String> columns) {
    return index.keys().stream()
        .anyMatch(
            key ->
                key.column() == null
                    && columns.stream().anyMatch(c -> key.definition().contains(c)));
  }

  private String addConstraint() {
    String name =
        SqlIdentifiers.stored(table.substring(table.lastIndexOf('.') + 1))
            + "_"
            + key.stream().map(SqlIdentifiers::stored).collect(Collectors.joining("_"))
            + "_key";
    return "alter table "
        + table
        + " add constraint "
        + SqlIdentifiers.quoted(name.substring(0, Math.min(name.length(), 63)))
        + " unique ("
        + columns()
        + ")";
  }

  private String columns() {
    return String.join(", ", key);
  }

  private UnsupportedMappingException problem(String what, String remedy) {
    return new UnsupportedMappingException(
        entity,
        String.format(
            Locale.ROOT,
            "%s cannot be created once by (%s): of table %s, %s. %s",
            entity,
            columns(),
            table,
            what,
            remedy));
  }
}
