package io.rowlock.internal.postgres;

import static io.rowlock.internal.postgres.ColumnUse.Use.ADD;
import static io.rowlock.internal.postgres.ColumnUse.Use.COMPARE;
import static io.rowlock.internal.postgres.ColumnUse.Use.GUARD;
import static io.rowlock.internal.postgres.ColumnUse.Use.IF_GREATER;
import static io.rowlock.internal.postgres.ColumnUse.Use.IF_NULL;
import static io.rowlock.internal.postgres.ColumnUse.Use.SET;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * How a row that is there is changed: what is assigned, under which condition, and that a row is
 * not written which would stay as it is.
 *
 * @param keyed what the catalog says of the table
 * @param columns what is done with which column
 * @param given the given value of a column, in SQL
 */
record RowChange(KeyedTable keyed, List<ColumnUse> columns, Function<ColumnUse, String> given) {

  /** Whether there is anything that an update would write for its own sake. */
  boolean writes() {
    return columns.stream().anyMatch(column -> column.isFor(COMPARE) || column.isFor(ADD));
  }

  /**
   * What is assigned.
   *
   * @param row the alias of the row as it is
   */
  String assignments(String row) {
    List<String> assignments = new ArrayList<>();
    for (ColumnUse column : columns) {
      if (column.isFor(SET)) {
        assignments.add(column.column() + " = " + given.apply(column));
      } else if (column.isFor(ADD)) {
        assignments.add(column.column() + " = " + sum(column, row));
      }
    }
    return String.join(", ", assignments);
  }

  /**
   * When it is assigned.
   *
   * @param row the alias of the row as it is
   */
  String condition(String row) {
    List<String> conditions = new ArrayList<>();
    List<String> before = new ArrayList<>();
    List<String> after = new ArrayList<>();
    for (ColumnUse column : columns) {
      String now = keyed.value(row, column.column());
      if (column.isFor(GUARD)) {
        conditions.add(row + "." + column.column() + " = " + given.apply(column));
      }
      if (column.isFor(IF_GREATER)) {
        conditions.add("(" + now + " is null or " + given.apply(column) + " > " + now + ")");
      }
      if (column.isFor(IF_NULL)) {
        conditions.add(now + " is null");
      }
      if (column.isFor(COMPARE)) {
        before.add(now);
        after.add(given.apply(column));
      } else if (column.isFor(ADD)) {
        before.add(now);
        after.add(sum(column, row));
      }
    }
    // the bytes as stored: a difference that the type's own equality ignores is a difference, and
    // a type without an equality can be compared; the cast keeps the rows whole
    conditions.add(
        "cast(row("
            + String.join(", ", before)
            + ") as record) operator(pg_catalog.*<>) cast(row("
            + String.join(", ", after)
            + ") as record)");
    return String.join(" and ", conditions);
  }

  /** The row's value and the given one, rounded as the column rounds; null counts for nothing. */
  private String sum(ColumnUse column, String row) {
    String now = keyed.value(row, column.column());
    String more = given.apply(column);
    return keyed.asStored(
        column.column(), "coalesce(" + now + " + " + more + ", " + more + ", " + now + ")");
  }
}
