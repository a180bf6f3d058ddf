package io.rowlock.internal.postgres;

import static io.rowlock.internal.postgres.ColumnUse.Use.KEY;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a batch inside a statement. One parameter for each column, an array of texts, so that
 * there is no limit to the rows. {@code typed} has every row as its table would store it, numbered
 * from one by {@code n}; {@code given} has each key once, numbered by {@code o} in the order of the
 * keys.
 *
 * <p>Which keys are equal and which comes first, is up to the column: its collation comes in with
 * the empty half of a union.
 */
final class GivenRows {

  private final KeyedTable keyed;
  private final String table;
  private final List<ColumnUse> columns;
  private final Set<String> nullKeys;
  private final List<@Nullable String> types;

  /**
   * Describes the rows.
   *
   * @param types the types that the driver would declare for the parameters among the columns, null
   *     where it would leave that to the server
   */
  GivenRows(
      KeyedTable keyed,
      String table,
      List<ColumnUse> columns,
      Set<String> nullKeys,
      List<@Nullable String> types) {
    this.keyed = keyed;
    this.table = table;
    this.columns = columns;
    this.nullKeys = nullKeys;
    this.types = types;
  }

  /** All rows. */
  String typed() {
    List<ColumnUse> parameters = parameters();
    StringBuilder none = new StringBuilder("select cast(null as bigint) as n");
    StringBuilder all = new StringBuilder("select x.n");
    List<String> arrays = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < parameters.size(); i++) {
      ColumnUse column = parameters.get(i);
      String element = "x.c" + (i + 1);
      none.append(", ")
          .append(keyed.value("t", column.column()))
          .append(" as ")
          .append(name(column));
      all.append(", ").append(keyed.asStored(column.column(), written(column, element, i)));
      arrays.add("cast(? as text[])");
      names.add("c" + (i + 1));
    }
    return "typed as ("
        + none
        + " from "
        + table
        + " t where false union all "
        + all
        + " from unnest("
        + String.join(", ", arrays)
        + ") with ordinality as x ("
        + String.join(", ", names)
        + ", n))";
  }

  /** Each key once; of two rows with one key, the first one is taken. */
  String given() {
    String keys = keys("");
    return "given as materialized (select s.*, row_number() over (order by "
        + keys
        + ") as o from (select distinct on ("
        + keys
        + ") * from typed order by "
        + keys
        + ", n) s)";
  }

  /** The key's values of a row of this alias, in order. */
  String keys(String prefix) {
    return parameters().stream()
        .filter(column -> column.isFor(KEY))
        .map(column -> prefix + name(column))
        .collect(Collectors.joining(", "));
  }

  /** Whether a row of the table has the key of a given row. */
  String matches(String row, String given) {
    return parameters().stream()
        .filter(column -> column.isFor(KEY))
        .map(
            column ->
                nullKeys.contains(column.column())
                    ? row + "." + column.column() + " is null"
                    : keyed.isKey(row, column.column(), value(column, given)))
        .collect(Collectors.joining(" and "));
  }

  /** The same where any of the keys can be null. */
  String matchesWithNulls(String row, String given) {
    return parameters().stream()
        .filter(column -> column.isFor(KEY))
        .map(
            column ->
                "("
                    + keyed.isKey(row, column.column(), value(column, given))
                    + " or ("
                    + row
                    + "."
                    + column.column()
                    + " is null and "
                    + value(column, given)
                    + " is null))")
        .collect(Collectors.joining(" and "));
  }

  /** The value of a column, as it would be stored. */
  String value(ColumnUse column, String given) {
    return column.parameter()
        ? given + "." + name(column)
        : keyed.asStored(column.column(), column.value());
  }

  private List<ColumnUse> parameters() {
    return columns.stream().filter(ColumnUse::parameter).toList();
  }

  private String name(ColumnUse column) {
    return "g" + (parameters().indexOf(column) + 1);
  }

  private String written(ColumnUse column, String element, int parameter) {
    return written(column.value(), element, types.get(parameter));
  }

  /**
   * The value as the mapping writes it: an expression sees the type that the driver declares.
   *
   * @param type that type; null if the driver leaves it to the server
   */
  static String written(String expression, String element, @Nullable String type) {
    if (expression.equals("?")) {
      return element;
    }
    return expression.replace(
        "?", type == null ? element : "cast(" + element + " as " + type + ")");
  }
}
