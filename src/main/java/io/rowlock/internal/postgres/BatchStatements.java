package io.rowlock.internal.postgres;

import static io.rowlock.internal.postgres.ColumnUse.Use.INSERT;
import static io.rowlock.internal.postgres.ColumnUse.Use.KEY;
import static io.rowlock.internal.postgres.CreateStatements.OUTCOME;
import static io.rowlock.internal.postgres.CreateStatements.ROW;

import io.rowlock.internal.postgres.CreateStatements.Outcome;
import io.rowlock.lock.LockStrength;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The statements that create many rows once. Each answers positions in the batch, counted from one,
 * with an outcome, and the row where it is needed.
 *
 * <p>Two batches must not wait for each other in a circle, however their keys overlap and whichever
 * of the keys are new. So a batch that shares what is there goes through its keys in one order, and
 * at each key either locks the row that is there or inserts it, before it looks at the next key:
 * the insert draws its rows, one by one, from a subquery that is sorted and that locks what it
 * finds.
 *
 * <p>A batch that changes what is there must agree with locks by id besides, so it has two passes,
 * {@link #orderLocking} by id and {@link #acquire} by key, and must not wait for a row that it
 * meets in the second one only.
 */
public final class BatchStatements {

  /** The name of the column that tells the position. */
  public static final String POSITION = "rowlock_position";

  /** Follows the number of a key whose row is there and has been locked. */
  public static final String LOCKED = "+";

  /** The alias of the id that {@link #insert} draws, for a column of the insert. */
  public static final String DRAWN_ID = "given.drawn_id";

  private final GivenRows rows;
  private final KeyedTable keyed;
  private final String table;
  private final List<String> id;
  private final List<ColumnUse> columns;
  private final String rowColumns;

  /**
   * A sequence of which one value stands for many ids.
   *
   * @param nextValue draws the next value, in SQL
   * @param before how many ids below a value are its too
   * @param after how many ids above it
   * @param initial the first value, below which there are no ids
   */
  public record Blocks(String nextValue, long before, long after, long initial) {}

  /**
   * Describes the statements of one table and one set of columns.
   *
   * @param keyed what the catalog says of the table
   * @param table the table in SQL
   * @param id the columns of the id in SQL
   * @param columns what is done with which column; of each parameter among them, an array is bound,
   *     in this order
   * @param nullKeys the columns of the key that are null
   * @param types the types that the driver would declare for the parameters
   * @param rowColumns the result columns of a row whose alias is {@link CreateStatements#ROW}
   */
  public BatchStatements(
      KeyedTable keyed,
      String table,
      List<String> id,
      List<ColumnUse> columns,
      Set<String> nullKeys,
      List<@Nullable String> types,
      String rowColumns) {
    this.rows = new GivenRows(keyed, table, columns, nullKeys, types);
    this.keyed = keyed;
    this.table = table;
    this.id = List.copyOf(id);
    this.columns = List.copyOf(columns);
    this.rowColumns = rowColumns;
  }

  /** Numbers the keys in their order, the same number for those that are one: position, number. */
  public String order() {
    return "with "
        + rows.typed()
        + " select n as "
        + POSITION
        + ", dense_rank() over (order by "
        + rows.keys("")
        + ") as "
        + OUTCOME
        + " from typed order by 2, 1";
  }

  /**
   * Locks the rows that are there, all in the order of their ids, and numbers the keys as {@link
   * #order()} does; {@link #LOCKED} follows the number of a key that has a row.
   *
   * @param nulls whether keys have nulls that are equal to each other
   */
  public String orderLocking(LockStrength lock, boolean nulls) {
    return "with "
        + rows.typed()
        + ", locked as materialized (select typed.n from "
        + keyed.rows(table, ROW)
        + " join typed on "
        + (nulls ? rows.matchesWithNulls(ROW, "typed") : rows.matches(ROW, "typed"))
        + " order by "
        + id.stream().map(column -> ROW + "." + column).collect(Collectors.joining(", "))
        + locking(lock, " of " + ROW)
        + ") select typed.n as "
        + POSITION
        + ", dense_rank() over (order by "
        + rows.keys("typed.")
        + ") || case when locked.n is null then '' else '"
        + LOCKED
        + "' end as "
        + OUTCOME
        + " from typed left join locked on locked.n = typed.n order by dense_rank() over (order by "
        + rows.keys("typed.")
        + "), 1";
  }

  /** Which keys have a row. */
  public String present() {
    return "with "
        + given()
        + " select n as "
        + POSITION
        + ", '"
        + Outcome.EXISTING
        + "' as "
        + OUTCOME
        + " from given where exists (select from "
        + keyed.rows(table, "t")
        + " where "
        + rows.matches("t", "given")
        + ")";
  }

  /** Inserts what is not there and answers the new rows. */
  public String insertIfAbsent(@Nullable Blocks blocks, Conflict with) {
    return "with "
        + given()
        + blocks(blocks)
        + ", ins as ("
        + insert(blocks)
        + " where not exists (select from "
        + keyed.rows(table, "t")
        + " where "
        + rows.matches("t", "given")
        + ")"
        + known(" and ")
        + " order by given.o"
        + keyed.onConflict(with)
        + "do nothing returning "
        + checked("t.*", with)
        + ") select given.n as "
        + POSITION
        + ", '"
        + Outcome.CREATED
        + "' as "
        + OUTCOME
        + ", "
        + rowColumns
        + " from ins "
        + ROW
        + " left join given on "
        + rows.matches(ROW, "given");
  }

  /**
   * Goes through the keys in their order: locks the row that is there, or inserts it. A row that
   * the statement's snapshot does not show is left alone. Answers the positions of the new rows; no
   * position for a row whose key has been changed on its way.
   *
   * @param lock how a row is locked, against those only who delete it or change its key; null not
   *     to lock it
   */
  public String acquire(@Nullable LockStrength lock, @Nullable Blocks blocks, Conflict with) {
    return "with "
        + given()
        + blocks(blocks)
        + ", ins as ("
        + insert(blocks)
        + (lock == null
            ? " where not exists (select from "
                + keyed.rows(table, "t")
                + " where "
                + rows.matches("t", "given")
                + ")"
            : " left join lateral (select true as there from "
                + keyed.rows(table, "t")
                + " where "
                + rows.matches("t", "given")
                + locking(lock, "")
                + ") found on true where found.there is null")
        + known(" and ")
        + (lock == null ? " order by given.o" : "")
        + keyed.onConflict(with)
        + "do nothing returning "
        + checked(each(KEY, column -> "t." + column.column()), with)
        + ") select given.n as "
        + POSITION
        + ", '"
        + Outcome.CREATED
        + "' as "
        + OUTCOME
        + " from ins left join given on "
        + rows.matches("ins", "given");
  }

  /** Answers the row of every position. */
  public String read(@Nullable LockStrength lock) {
    return "with "
        + rows.typed()
        + select(Outcome.EXISTING, keyed.rows(table, ROW))
        + (lock == null ? "" : " order by " + rows.keys("typed.") + locking(lock, " of " + ROW));
  }

  /**
   * Changes the rows that differ, and answers the row of every position. All rows are locked
   * already. The last parameter is the array of positions that are new, and not to be changed.
   */
  public String update() {
    RowChange change = new RowChange(keyed, columns, column -> rows.value(column, "given"));
    if (!change.writes()) {
      return "with "
          + rows.typed()
          + select(Outcome.UNCHANGED, keyed.rows(table, ROW))
          + " where cast(? as text) is not null";
    }
    return "with "
        + given()
        + ", upd as (update "
        + table
        + " t set "
        + change.assignments("t")
        + " from given, "
        + keyed.rows(table, "now")
        + " where "
        + rows.matches("now", "given")
        + " and "
        + sameId("t", "now")
        + " and given.n <> all (cast(? as bigint[])) and "
        + change.condition("t")
        + " returning t.*)"
        + select(Outcome.UPDATED, "upd " + ROW)
        + " union all"
        + select(Outcome.UNCHANGED, keyed.rows(table, ROW))
        + " where not exists (select from upd where "
        + sameId("upd", ROW)
        + ")";
  }

  private String sameId(String one, String other) {
    return id.stream()
        .map(column -> one + "." + column + " = " + other + "." + column)
        .collect(Collectors.joining(" and "));
  }

  /** An insert fails that would make a row outside the predicate of the key's index. */
  private String checked(String returned, Conflict with) {
    return returned + ", " + keyed.checked("true", with) + " as " + CreateStatements.CHECKED;
  }

  private String given() {
    return rows.typed() + ", " + rows.given();
  }

  private String select(Outcome outcome, String from) {
    return " select typed.n as "
        + POSITION
        + ", '"
        + outcome
        + "' as "
        + OUTCOME
        + ", "
        + rowColumns
        + " from "
        + from
        + " join typed on "
        + rows.matches(ROW, "typed");
  }

  private String insert(@Nullable Blocks blocks) {
    return "insert into "
        + table
        + " as t ("
        + each(INSERT, ColumnUse::column)
        + ") select "
        + each(INSERT, column -> rows.value(column, "given"))
        + " from (select given.*"
        + (blocks == null
            ? " from given"
            : ", drawn.v - "
                + blocks.before()
                + " + fresh.i % "
                + size(blocks)
                + " as drawn_id from given left join fresh on fresh.o = given.o left join drawn"
                + " on drawn.b = fresh.i / "
                + size(blocks))
        + " order by given.o) given";
  }

  /** As many values of the sequence as the rows need that are not there. */
  private String blocks(@Nullable Blocks blocks) {
    if (blocks == null) {
      return "";
    }
    return ", fresh as materialized (select given.o, row_number() over (order by given.o) - 1 as i"
        + " from given where not exists (select from "
        + keyed.rows(table, "t")
        + " where "
        + rows.matches("t", "given")
        + ")), drawn as materialized (select row_number() over (order by d.v) - 1 as b, d.v from"
        + " (select "
        + blocks.nextValue()
        + " as v from generate_series(1, (select (count(*) + "
        + (size(blocks) - 1)
        + ") / "
        + size(blocks)
        + " from fresh))) d where d.v - "
        + blocks.before()
        + " >= "
        + blocks.initial()
        + ")";
  }

  private static long size(Blocks blocks) {
    return blocks.before() + blocks.after() + 1;
  }

  /** A row whose id has not been made is not inserted: it was there when that was decided. */
  private String known(String prefix) {
    return columns.stream()
        .filter(c -> c.parameter() && c.isFor(INSERT) && id.contains(c.column()))
        .map(column -> prefix + rows.value(column, "given") + " is not null")
        .collect(Collectors.joining());
  }

  private static String locking(LockStrength lock, String of) {
    return " for " + lock.name().toLowerCase(Locale.ROOT).replace('_', ' ') + of;
  }

  private String each(ColumnUse.Use use, Function<ColumnUse, String> text) {
    return columns.stream()
        .filter(column -> column.isFor(use))
        .map(text)
        .collect(Collectors.joining(", "));
  }
}
