package io.rowlock.internal.postgres;

import io.rowlock.UnsupportedMappingException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the index that can arbitrate {@code ON CONFLICT} for a key, and says why there is none.
 *
 * @param wanted the key
 */
record ArbiterSearch(KeyWanted wanted) {

  /**
   * The arbiter.
   *
   * @throws UnsupportedMappingException if there is none
   * @throws SQLException if the server cannot be asked
   */
  CatalogIndex in(CatalogTable found, Connection connection) throws SQLException {
    if (!found.kind().equals("r") && !found.kind().equals("p")) {
      throw problem("it is a view or a foreign table, not a table", "Map the table itself");
    }
    if (found.inherited()) {
      throw problem(
          "other tables inherit from it, and a unique index holds for one table only",
          "Use partitions instead of inheritance, or create the rows without Rowlock");
    }
    for (String column : wanted.columns()) {
      if (found.column(column) == null) {
        throw problem(
            "it has no column " + column, "Bring the table and the mapping into agreement");
      }
    }
    List<String> columns = wanted.columns().stream().map(SqlIdentifiers::stored).toList();
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
                    + wanted.table()
                    + " drop constraint "
                    + SqlIdentifiers.quoted(index.constraint())
                    + ", add constraint "
                    + SqlIdentifiers.quoted(index.constraint())
                    + " unique ("
                    + columns()
                    + ")");
      }
    }
    List<CatalogIndex> usable =
        exact.stream()
            .filter(i -> i.valid())
            .filter(i -> i.keys().stream().allMatch(CatalogIndex.Key::sameEquality))
            .toList();
    CatalogIndex whole =
        usable.stream().filter(i -> i.predicate() == null).findFirst().orElse(null);
    if (wanted.predicate() != null) {
      return partial(usable, whole, wanted.predicate(), connection);
    }
    if (whole == null) {
      throw noArbiter(found, exact, columns);
    }
    return whole;
  }

  private CatalogIndex partial(
      List<CatalogIndex> usable,
      @Nullable CatalogIndex whole,
      String predicate,
      Connection connection)
      throws SQLException {
    if (whole != null) {
      // the server would take it as an arbiter too, and rows that no lookup finds would be in the
      // way
      throw problem(
          whole.called() + " makes the key unique among all rows, not only where " + predicate,
          "Leave the predicate out, or drop what is unique in the whole table");
    }
    List<String> others = new ArrayList<>();
    for (CatalogIndex index : usable) {
      String stored = String.valueOf(index.predicate());
      if (same(predicate, stored, connection)) {
        if (stored.indexOf('?') >= 0) {
          throw problem(
              "the predicate of " + index.called() + " contains a question mark: " + stored,
              "Write it with functions instead, such as jsonb_exists");
        }
        if (wanted.restriction() != null && !same(wanted.restriction(), stored, connection)) {
          throw problem(
              "rows are hidden by @SQLRestriction ("
                  + wanted.restriction()
                  + "), and "
                  + index.called()
                  + " is where "
                  + stored
                  + ": a hidden row can have the key",
              "Give the index and the restriction the same predicate");
        }
        return index;
      }
      others.add(index.called() + " is where " + stored);
    }
    throw problem(
        "no unique index on exactly these columns has the predicate (" + predicate + ")",
        others.isEmpty()
            ? "create unique index on " + wanted.table() + " (" + columns() + ") where " + predicate
            : "Declare the predicate of an index that there is: " + String.join("; ", others));
  }

  private boolean same(String declared, String stored, Connection connection) throws SQLException {
    try {
      return SamePredicate.check(connection, wanted.table(), declared, stored);
    } catch (SQLException e) {
      if (SqlStates.isSyntaxError(e.getSQLState())) {
        throw problem(
            "the declared predicate (" + declared + ") is none: " + e.getMessage(),
            "Declare the predicate of the partial index, with columns that are not qualified",
            e);
      }
      throw e;
    }
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
            "Declare that predicate, if the key is meant among those rows only:"
                + " NaturalKey.where(\""
                + index.predicate()
                + "\"). For a key that is unique in the whole table: "
                + addConstraint());
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
    return problem(
        "it has no unique index on exactly these columns"
            + (wanted.tenant() == null
                ? ""
                : " ("
                    + wanted.tenant()
                    + " tells tenants apart and is part of every key: a row found by the others might be"
                    + " another tenant's)"),
        addConstraint());
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
        SqlIdentifiers.stored(wanted.table().substring(wanted.table().lastIndexOf('.') + 1))
            + "_"
            + wanted.columns().stream().map(SqlIdentifiers::stored).collect(Collectors.joining("_"))
            + "_key";
    return "alter table "
        + wanted.table()
        + " add constraint "
        + SqlIdentifiers.quoted(name.substring(0, Math.min(name.length(), 63)))
        + " unique ("
        + columns()
        + ")";
  }

  private String columns() {
    return String.join(", ", wanted.columns());
  }

  private UnsupportedMappingException problem(String what, String remedy) {
    return problem(what, remedy, null);
  }

  private UnsupportedMappingException problem(
      String what, String remedy, @Nullable SQLException cause) {
    return new UnsupportedMappingException(
        wanted.entity(),
        String.format(
            Locale.ROOT,
            "%s cannot be created once by (%s): of table %s, %s. %s",
            wanted.entity(),
            columns(),
            wanted.table(),
            what,
            remedy),
        cause);
  }
}
