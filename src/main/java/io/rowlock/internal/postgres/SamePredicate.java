package io.rowlock.internal.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Tells whether two predicates are the same, however they are written: the server decides, by
 * planning the same query with the one and with the other.
 */
final class SamePredicate {

  private SamePredicate() {}

  /**
   * Whether both select the same rows of the table as far as the server can tell.
   *
   * @throws SQLException if one of them is no predicate on the table
   */
  static boolean check(Connection connection, String table, String one, String other)
      throws SQLException {
    return plan(connection, table, one).equals(plan(connection, table, other));
  }

  private static String plan(Connection connection, String table, String predicate)
      throws SQLException {
    StringBuilder plan = new StringBuilder();
    try (Statement statement = connection.createStatement();
        ResultSet lines =
            statement.executeQuery(
                // the end of the line ends a comment too
                "explain (verbose, costs off) select from "
                    + table
                    + " where ("
                    + predicate
                    + "\n)")) {
      while (lines.next()) {
        plan.append(lines.getString(1)).append('\n');
      }
    }
    return plan.toString();
  }
}
