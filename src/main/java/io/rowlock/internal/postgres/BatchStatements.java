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
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
 *
 * <p>The table is not joined to what is given: its rows are looked up for each given row, in a
 * subquery that the planner does not take apart. A planner that takes a full table for an empty one
 * (its rows are not committed when the statistics are gathered) joins by going through all of it,
 * and that for each row of the batch.
 *
 * <p>No statement locks a row twice. It would ask for the version that its snapshot shows, and
 * where that has been replaced while others have a share of it, PostgreSQL has it queue behind
 * those who wait for this very transaction by then.
 */
public final class BatchStatements {

  /** The name of the column that tells the position. */
  public static final String POSITION = "rowlock_position";

  /** Follows the number of a key whose row is there and has been locked. */
  public static final String LOCKED = "+";

  /** The id that {@link IdBlocks} draw, for a column of the insert. */
  public static final String DRAWN_ID = "given." + IdBlocks.ID;

  /** Keeps the planner from taking a subquery apart; a lock does, too. */
  private static final String AS_IT_STANDS = " offset 0";

  private final GivenRows rows;
  private final KeyedTable keyed;
  private final String table;
  private final List<String> id;
  private final List<ColumnUse> columns;
  private final String rowColumns;

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
    UnaryOperator<String> matches =
        given -> nulls ? rows.matchesWithNulls("t", given) : rows.matches("t", given);
    return "with "
        + rows.typed()
        + ", found as materialized (select typed.*, "
        + ids(i -> "t.i" + i)
        + ", min(typed.n) over (partition by "
        + ids(i -> "t.i" + i)
        + ") as first from typed, lateral (select "
        + ids(i -> "t." + id.get(i) + " as i" + i)
        + " from "
        + keyed.rows(table, "t")
        + " where "
        + matches.apply("typed")
        + AS_IT_STANDS
        + ") t), locked as materialized (select found.n from"
        // each row once: see the class
        + " (select * from found where n = first order by "
        + ids(i -> "i" + i)
        + ") found, lateral (select from "
        + keyed.rows(table, "t")
        + " where "
        + ids(" and ", i -> "t." + id.get(i) + " = found.i" + i)
        // once more: the key may have been changed while the lock was waited for
        + " and "
        + matches.apply("found")
        + locking(lock)
        + ") t) select typed.n as "
        + POSITION
        + ", dense_rank() over (order by "
        + rows.keys("typed.")
        + ") || case when locked.n is null then '' else '"
        + LOCKED
        + "' end as "
        + OUTCOME
        + " from typed left join found on found.n = typed.n left join locked on locked.n = found.first"
        + " order by dense_rank() over (order by "
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
        + " from given where exists "
        + found();
  }

  /** Inserts what is not there and answers the new rows. */
  public String insertIfAbsent(@Nullable IdBlocks blocks, Conflict with) {
    return "with "
        + given()
        + (blocks == null ? "" : ", " + blocks.drawn("not exists " + found()))
        + ", ins as ("
        + insert(blocks)
        + " where not exists "
        + found()
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
  public String acquire(@Nullable LockStrength lock, @Nullable IdBlocks blocks, Conflict with) {
    return "with "
        + given()
        + (blocks == null ? "" : ", " + blocks.drawn("not exists " + found()))
        + ", ins as ("
        + insert(blocks)
        + (lock == null
            ? " where not exists " + found()
            : " left join lateral (select true as there from "
                + keyed.rows(table, "t")
                + " where "
                + rows.matches("t", "given")
                + locking(lock)
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
    return lock == null
        ? "with " + rows.typed() + selectRows(Outcome.EXISTING)
        : "with "
            + given()
            + ", locked as materialized (select t.* from (select * from given order by o) given,"
            + " lateral (select t.* from "
            + keyed.rows(table, "t")
            + " where "
            + rows.matches("t", "given")
            + locking(lock)
            + ") t)"
            + select(Outcome.EXISTING)
            + " from locked "
            + ROW
            + " join typed on "
            + rows.matches(ROW, "typed");
  }

  /**
   * Changes the rows that differ, and answers the row of every position. All rows are locked
   * already, so each is where the statement sees it. The last parameter is the array of positions
   * that are new, and not to be changed.
   */
  public String update() {
    RowChange change = new RowChange(keyed, columns, column -> rows.value(column, "there"));
    if (!change.writes()) {
      return "with "
          + rows.typed()
          + selectRows(Outcome.UNCHANGED)
          + " where cast(? as text) is not null";
    }
    return "with "
        + given()
        + ", there as materialized (select given.*, t.ctid as place, t.tableoid as part"
        + " from given, lateral (select t.ctid, t.tableoid from "
        + keyed.rowsAndPlaces(table, "t")
        + " where "
        + rows.matches("t", "given")
        + AS_IT_STANDS
        + ") t where given.n <> all (cast(? as bigint[]))), upd as (update "
        + table
        + " t set "
        + change.assignments("t")
        // the array, so that what is joined is never more than that; a place is one of a partition
        + " from there where t.ctid = any (array(select place from there))"
        + " and t.ctid = there.place and t.tableoid = there.part and "
        + change.condition("t")
        + " returning t.*)"
        + select(Outcome.UPDATED)
        + " from upd "
        + ROW
        + " join typed on "
        + rows.matches(ROW, "typed")
        + " union all"
        + selectRows(Outcome.UNCHANGED)
        // hashed, where an anti-join would go through all changed rows for each row
        + " where ("
        + ids(i -> ROW + "." + id.get(i))
        + ") not in (select "
        + ids(id::get)
        + " from upd)";
  }

  /** Whether there is a row with the given key, after {@code exists}. */
  private String found() {
    return "(select from "
        + keyed.rows(table, "t")
        + " where "
        + rows.matches("t", "given")
        + AS_IT_STANDS
        + ")";
  }

  /** For each column of the id, by its number. */
  private String ids(IntFunction<String> text) {
    return ids(", ", text);
  }

  private String ids(String separator, IntFunction<String> text) {
    return IntStream.range(0, id.size()).mapToObj(text).collect(Collectors.joining(separator));
  }

  /** An insert fails that would make a row outside the predicate of the key's index. */
  private String checked(String returned, Conflict with) {
    return returned + ", " + keyed.checked("true", with) + " as " + CreateStatements.CHECKED;
  }

  private String given() {
    return rows.typed() + ", " + rows.given();
  }

  /** The rows of the given keys. */
  private String selectRows(Outcome outcome) {
    return select(outcome)
        + " from typed, lateral (select t.* from "
        + keyed.rows(table, "t")
        + " where "
        + rows.matches("t", "typed")
        + AS_IT_STANDS
        + ") "
        + ROW;
  }

  private String select(Outcome outcome) {
    return " select typed.n as "
        + POSITION
        + ", '"
        + outcome
        + "' as "
        + OUTCOME
        + ", "
        + rowColumns;
  }

  private String insert(@Nullable IdBlocks blocks) {
    return "insert into "
        + table
        + " as t ("
        + each(INSERT, ColumnUse::column)
        + ") select "
        + each(INSERT, column -> rows.value(column, "given"))
        + " from (select given.*"
        + (blocks == null ? " from given" : ", " + blocks.ids())
        + " order by given.o) given";
  }

  /** A row whose id has not been made is not inserted: it was there when that was decided. */
  private String known(String prefix) {
    return columns.stream()
        .filter(c -> c.parameter() && c.isFor(INSERT) && id.contains(c.column()))
        .map(column -> prefix + rows.value(column, "given") + " is not null")
        .collect(Collectors.joining());
  }

  private static String locking(LockStrength lock) {
    return " for " + lock.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private String each(ColumnUse.Use use, Function<ColumnUse, String> text) {
    return columns.stream()
        .filter(column -> column.isFor(use))
        .map(text)
        .collect(Collectors.joining(", "));
  }
}
