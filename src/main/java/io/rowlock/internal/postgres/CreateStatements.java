package io.rowlock.internal.postgres;

import static io.rowlock.internal.postgres.ColumnUse.Use.INSERT;
import static io.rowlock.internal.postgres.ColumnUse.Use.KEY;

import io.rowlock.lock.LockStrength;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The statements that create a row once. Each answers at most one row: its {@link Outcome} and its
 * columns. No row means that the insert met a row which the statement's snapshot does not show.
 *
 * <p>All values are in {@code given}, each bound once and converted as its column would store it.
 * {@code found} locks the row that is there and shows what it holds under the lock, which the
 * snapshot of the statement may not: so whatever depends on the row's content looks at {@code
 * found}, never at the table.
 *
 * <p>Each text is made at its first use and kept. Safe for use by any thread.
 */
public final class CreateStatements {

  /** What became of the row. */
  public enum Outcome {
    /** It was inserted. */
    CREATED,
    /** It was there. */
    EXISTING,
    /** It was there and has been changed. */
    UPDATED,
    /** It was there with the same values. */
    UNCHANGED
  }

  /** The name of the column that tells the {@link Outcome}. */
  public static final String OUTCOME = "rowlock_outcome";

  /** The alias of the row in the list of result columns. */
  public static final String ROW = "r";

  static final String CHECKED = "rowlock_checked";

  private final KeyedTable keyed;
  private final String table;
  private final List<String> id;
  private final List<ColumnUse> columns;
  private final Set<String> nullKeys;
  private final String rowColumns;
  private final Map<Text, String> texts = new ConcurrentHashMap<>();

  private record Text(String operation, @Nullable LockStrength lock, @Nullable Conflict with) {}

  /**
   * Describes the statements of one table and one set of columns.
   *
   * @param keyed what the catalog says of the table
   * @param table the table in SQL
   * @param id the columns of the id in SQL
   * @param columns what is done with which column; the parameters among them are bound in this
   *     order
   * @param nullKeys the columns of the key that are null
   * @param rowColumns the result columns of a row whose alias is {@link #ROW}
   */
  public CreateStatements(
      KeyedTable keyed,
      String table,
      List<String> id,
      List<ColumnUse> columns,
      Set<String> nullKeys,
      String rowColumns) {
    this.keyed = keyed;
    this.table = table;
    this.id = List.copyOf(id);
    this.columns = List.copyOf(columns);
    this.nullKeys = Set.copyOf(nullKeys);
    this.rowColumns = rowColumns;
  }

  /** Looks the row up, locks it as asked, and inserts it if there is none. */
  public String getOrCreate(@Nullable LockStrength pin, Conflict with) {
    return texts.computeIfAbsent(
        new Text("getOrCreate", pin, with),
        text ->
            "with "
                + given()
                + ", "
                + found(pin)
                + ", "
                + inserted("select from found", with)
                + select(Outcome.CREATED, "ins")
                + " union all"
                + select(Outcome.EXISTING, "found"));
  }

  /** Looks the row up and locks it as asked. */
  public String find(@Nullable LockStrength pin) {
    return texts.computeIfAbsent(
        new Text("find", pin, null),
        text -> "with " + given() + ", " + found(pin) + select(Outcome.EXISTING, "found"));
  }

  /**
   * Inserts the row if there is none. A row that is there is answered only where it could not be
   * told otherwise from one that has met another constraint.
   */
  public String insertIfAbsent(Conflict with) {
    return with == Conflict.ANY
        ? getOrCreate(null, with)
        : texts.computeIfAbsent(
            new Text("insertIfAbsent", null, with),
            text ->
                "with "
                    + given()
                    + ", "
                    + inserted("select from " + keyed.rows(table, "t") + " where " + isKey(), with)
                    + select(Outcome.CREATED, "ins"));
  }

  /** Locks the row and changes it if it differs, or inserts it if there is none. */
  public String upsert(Conflict with) {
    return texts.computeIfAbsent(
        new Text("upsert", null, with),
        text ->
            "with "
                + given()
                + ", "
                + changed()
                + ", "
                + inserted("select from found", with)
                + select(Outcome.CREATED, "ins")
                + " union all"
                + selectChanged());
  }

  /** Locks the row and changes it if it differs. */
  public String update() {
    return texts.computeIfAbsent(
        new Text("update", null, null),
        text -> "with " + given() + ", " + changed() + selectChanged());
  }

  /** The columns of the parameters, in the order in which they are bound. */
  private List<ColumnUse> parameters() {
    return columns.stream().filter(ColumnUse::parameter).toList();
  }

  private String given() {
    List<String> values = new ArrayList<>();
    for (ColumnUse column : parameters()) {
      values.add(keyed.asStored(column.column(), column.value()) + " as " + parameter(column));
    }
    return "given as (select " + String.join(", ", values) + ")";
  }

  private String found(@Nullable LockStrength lock) {
    return "found as (select t.* from "
        + keyed.rows(table, "t")
        + " where "
        + isKey()
        + (lock == null ? "" : " for " + lock.name().toLowerCase(Locale.ROOT).replace('_', ' '))
        + ")";
  }

  private String isKey() {
    return each(
        KEY,
        " and ",
        key ->
            nullKeys.contains(key.column())
                ? "t." + key.column() + " is null"
                : keyed.isKey("t", key.column(), "(select " + value(key) + " from given)"));
  }

  private String inserted(String unless, Conflict with) {
    return "ins as (insert into "
        + table
        + " as t ("
        + each(INSERT, ", ", ColumnUse::column)
        + ") select "
        + each(INSERT, ", ", this::value)
        + " from given where not exists ("
        + unless
        + ")"
        + keyed.onConflict(with)
        + "do nothing returning t.*, "
        + keyed.checked(isKey(), with)
        + " as "
        + CHECKED
        + ")";
  }

  private RowChange change() {
    return new RowChange(keyed, columns, this::value);
  }

  private String changed() {
    return found(LockStrength.NO_KEY_UPDATE) + (change().writes() ? ", " + updated() : "");
  }

  private String selectChanged() {
    String unchanged = select(Outcome.UNCHANGED, "found");
    return change().writes()
        ? select(Outcome.UPDATED, "upd")
            + " union all"
            + unchanged
            + " where not exists (select from upd)"
        : unchanged;
  }

  private String updated() {
    // once as an array: where the planner takes the table for empty, it would go through all of it
    // to join the one row
    String same =
        id.stream()
            .map(
                column ->
                    "t."
                        + column
                        + " = any (array(select "
                        + column
                        + " from found)) and t."
                        + column
                        + " = found."
                        + column)
            .collect(Collectors.joining(" and "));
    return "upd as (update "
        + table
        + " t set "
        + change().assignments("found")
        + " from found, given where "
        + same
        + " and "
        + change().condition("found")
        + " returning t.*)";
  }

  private String select(Outcome outcome, String from) {
    return " select '"
        + outcome
        + "' as "
        + OUTCOME
        + ", "
        // after the insert or the lock that has an id assigned
        + TransactionMark.CARRIED
        + " as "
        + TransactionMark.COLUMN
        + ", "
        + rowColumns
        + " from "
        + from
        + " "
        + ROW;
  }

  private String value(ColumnUse column) {
    return column.parameter()
        ? "given." + parameter(column)
        : keyed.asStored(column.column(), column.value());
  }

  private String parameter(ColumnUse column) {
    return "g" + (parameters().indexOf(column) + 1);
  }

  private String each(ColumnUse.Use use, String separator, Function<ColumnUse, String> text) {
    return columns.stream()
        .filter(column -> column.isFor(use))
        .map(text)
        .collect(Collectors.joining(separator));
  }
}
