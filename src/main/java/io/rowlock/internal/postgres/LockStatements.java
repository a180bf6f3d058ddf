package io.rowlock.internal.postgres;

import io.rowlock.lock.LockStrength;
import io.rowlock.lock.LockWait;
import io.rowlock.lock.Locking;

/**
 * The text of statements that lock rows by id. Each has one parameter, the array of ids ({@link
 * ArrayText}), and orders by the id <em>in SQL</em>: PostgreSQL locks the rows in the order in
 * which the sort answers them, whatever plan it reads them by.
 *
 * <p>Names of tables and columns are SQL, quoted where they have to be. Stateless.
 */
public final class LockStatements {

  /** The alias of the table in every statement here. */
  public static final String ALIAS = "e";

  private LockStatements() {}

  /** Locks the rows and answers the given select list of {@link #ALIAS}. */
  public static String lock(String selectList, String table, String id, Locking how) {
    return "select "
        + selectList
        + " from "
        + table
        + " e where e."
        + id
        + " = any (?) order by e."
        + id
        + " "
        + strength(how.strength())
        + " of e"
        + (how.waiting() instanceof LockWait.None ? " nowait" : "");
  }

  /** Locks the rows and answers their ids. */
  public static String lockIds(String table, String id, Locking how) {
    return lock("e." + id, table, id, how);
  }

  /**
   * Which elements of an array the database holds to be the ids of some rows: the positions,
   * counted from one. The first parameter is that array, the second one the ids of the rows.
   */
  public static String positions(String table, String id) {
    return "select x.p from "
        + table
        + " e, unnest(array_positions(?, e."
        + id
        + ")) as x (p) where e."
        + id
        + " = any (?)";
  }

  /** Raises the version of the rows by one and answers id and new version, in no order. */
  public static String incrementVersions(String table, String id, String version) {
    return "update "
        + table
        + " e set "
        + version
        + " = coalesce(e."
        + version
        + ", 0) + 1 where e."
        + id
        + " = any (?) returning e."
        + id
        + ", e."
        + version;
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
