package io.rowlock.internal.postgres;

import io.rowlock.lock.LockStrength;
import io.rowlock.lock.LockWait;
import io.rowlock.lock.Locking;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The text of statements that lock rows by id. Each has one parameter for every column of the id,
 * the array of that column's values ({@link ArrayText}), and orders by the id <em>in SQL</em>:
 * PostgreSQL locks the rows in the order in which the sort answers them, whatever plan it reads
 * them by.
 *
 * <p>Names of tables and columns are SQL, quoted where they have to be. Stateless.
 */
public final class LockStatements {

  /** The alias of the table in every statement here. */
  public static final String ALIAS = "e";

  private LockStatements() {}

  /** Locks the rows, each once, and answers the given select list of {@link #ALIAS}. */
  public static String lock(String selectList, String table, List<String> id, Locking how) {
    String rows =
        id.size() == 1
            ? " e where e." + id.get(0) + " = any (?)"
            // each row once: why, is said in BatchStatements
            : " e join (select distinct * from "
                + wanted(table, id)
                + ") w ("
                + names(id)
                + ") on "
                + equal(id, "w");
    return "select "
        + selectList
        + " from "
        + table
        + rows
        + " order by "
        + qualified(id)
        + " "
        + strength(how.strength())
        + " of e"
        + (how.waiting() instanceof LockWait.None ? " nowait" : "");
  }

  /**
   * The same, and the first row carries the transaction's mark: outside, where the row is locked
   * already, and so the transaction has an id.
   */
  public static String lockMarked(String selectList, String table, List<String> id, Locking how) {
    return "select x.*, case when row_number() over () = 1 then "
        + TransactionMark.CARRIED
        + " end as "
        + TransactionMark.COLUMN
        + " from ("
        + lock(selectList, table, id, how)
        + ") x";
  }

  /** Locks the rows and answers their ids. */
  public static String lockIds(String table, List<String> id, Locking how) {
    return lock(qualified(id), table, id, how);
  }

  /**
   * Which ids the database holds to be the ids of some rows: the positions, counted from one. The
   * first parameters are the arrays of those ids, the other ones the ids of the rows.
   */
  public static String positions(String table, List<String> id) {
    return "select e.p from "
        + wanted(table, id)
        + " with ordinality e ("
        + names(id)
        + ", p) where exists (select from "
        + wanted(table, id)
        + " w ("
        + names(id)
        + ") where "
        + joined(id, " and ", i -> "e.c" + i + " = w.c" + i)
        + ")";
  }

  /** Raises the version of the rows by one and answers id and new version, in no order. */
  public static String incrementVersions(String table, List<String> id, String version) {
    return "update "
        + table
        + " e set "
        + version
        + " = coalesce(e."
        + version
        + ", 0) + 1"
        + (id.size() == 1
            ? " where e." + id.get(0) + " = any (?)"
            : " from " + wanted(table, id) + " w (" + names(id) + ") where " + equal(id, "w"))
        + " returning "
        + qualified(id)
        + ", e."
        + version;
  }

  /**
   * The arrays as rows. A parameter by itself would have no type here: the query beside it, which
   * is never run, lends it the column's.
   */
  private static String wanted(String table, List<String> id) {
    return "unnest(" + arrays(table, id) + ")";
  }

  /** The parameters for arrays of ids. */
  static String arrays(String table, List<String> id) {
    return joined(
        id,
        ", ",
        i -> "coalesce(?, array(select " + id.get(i - 1) + " from " + table + " where false))");
  }

  /** The names of the columns of those arrays. */
  static String names(List<String> id) {
    return joined(id, ", ", i -> "c" + i);
  }

  private static String qualified(List<String> id) {
    return joined(id, ", ", i -> "e." + id.get(i - 1));
  }

  /** Whether a row has the id that arrays of that alias have. */
  static String equal(List<String> id, String alias) {
    return joined(id, " and ", i -> "e." + id.get(i - 1) + " = " + alias + ".c" + i);
  }

  private static String joined(List<String> id, String separator, IntFunction<String> each) {
    return IntStream.rangeClosed(1, id.size())
        .mapToObj(each)
        .collect(Collectors.joining(separator));
  }

  private static String strength(LockStrength strength) {
    return switch (strength) {
      case KEY_SHARE -> "for key share";
      case SHARE -> "for share";
      case NO_KEY_UPDATE -> "for no key update";
      case UPDATE -> "for update";
    };
  }
}
