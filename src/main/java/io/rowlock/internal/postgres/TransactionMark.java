package io.rowlock.internal.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * What has to be known of a transaction to ask later what has become of it. The points in time are
 * the server's, in seconds with microseconds, as text.
 *
 * @param id its id ({@code xid8}); null if it has none, and so has neither written nor locked rows
 * @param server when the server was started, which tells it from others
 * @param began when the transaction began
 */
public record TransactionMark(@Nullable String id, String server, String began) {

  private static final String SELECT =
      "::text, extract(epoch from pg_postmaster_start_time())::text,"
          + " extract(epoch from transaction_timestamp())::text";

  /** The query; nothing in it needs a privilege, reads a table or touches a disk. */
  static final String QUERY = "select pg_current_xact_id_if_assigned()" + SELECT;

  /** The same, which has the id assigned. */
  static final String ASSIGNING = "select pg_current_xact_id()" + SELECT;

  /** The name of a result column in which another statement carries the mark. */
  public static final String COLUMN = "rowlock_mark";

  /** That column: the mark as one text, null while the transaction has no id. */
  static final String CARRIED =
      "cast(pg_current_xact_id_if_assigned() as text)"
          + " || ' ' || extract(epoch from pg_postmaster_start_time())"
          + " || ' ' || extract(epoch from transaction_timestamp())";

  /** The mark that a statement has carried. */
  public static TransactionMark carried(String text) {
    String[] parts = text.split(" ", -1);
    return new TransactionMark(parts[0], parts[1], parts[2]);
  }

  /** The mark of the transaction that is open; costs a round trip. */
  public static TransactionMark read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(QUERY)) {
      return of(row);
    }
  }

  static TransactionMark of(ResultSet row) throws SQLException {
    row.next();
    return new TransactionMark(row.getString(1), row.getString(2), row.getString(3));
  }
}
