package io.rowlock.internal.postgres;

import io.rowlock.IsolationLevel;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The first words of a unit's transaction: its isolation level and, with a deadline, the time that
 * is left. Everything is local to the transaction, so that nothing of it reaches the pool. The
 * driver sends all of it, and the BEGIN before it, in one round trip.
 */
public final class TransactionPreamble {

  private TransactionPreamble() {}

  /**
   * Sends it.
   *
   * @param connection with a transaction that has just begun
   * @param level the isolation level, or null to leave it as it is
   * @param left what is left until the deadline, or null for none
   * @param assigning whether to have the transaction's id assigned
   * @return the transaction's mark, if its id was to be assigned
   */
  public static @Nullable TransactionMark send(
      Connection connection,
      @Nullable IsolationLevel level,
      @Nullable Duration left,
      boolean assigning)
      throws SQLException {
    String sql = text(level, left);
    if (assigning) {
      sql += (sql.isEmpty() ? "" : "; ") + TransactionMark.ASSIGNING;
    }
    if (sql.isEmpty()) {
      return null;
    }
    try (Statement statement = connection.createStatement()) {
      boolean isQuery = statement.execute(sql);
      return assigning ? lastOf(statement, isQuery) : null;
    }
  }

  /** The mark is the last thing asked for: the only row of three columns. */
  private static TransactionMark lastOf(Statement statement, boolean isQuery) throws SQLException {
    boolean query = isQuery;
    while (!query || statement.getResultSet().getMetaData().getColumnCount() == 1) {
      query = statement.getMoreResults();
    }
    return TransactionMark.of(statement.getResultSet());
  }

  static String text(@Nullable IsolationLevel level, @Nullable Duration left) {
    StringBuilder sql = new StringBuilder();
    if (level != null) {
      sql.append("set transaction isolation level ").append(level.sql());
    }
    if (left != null) {
      sql.append(sql.isEmpty() ? "" : "; ").append(lowerTimeouts(milliseconds(left)));
    }
    return sql.toString();
  }

  /** Lowers, never raises: what the role, the database or the server allows stays if it is less. */
  private static String lowerTimeouts(long milliseconds) {
    return "select set_config(name, '"
        + milliseconds
        + "', true) from unnest(array['lock_timeout', 'statement_timeout']) name"
        + " where current_setting(name)::interval = interval '0'"
        + " or current_setting(name)::interval > interval '"
        + milliseconds
        + " milliseconds'";
  }

  /**
   * Rounded up, so that the server does not give up before the deadline; zero would stand for no
   * bound.
   */
  private static long milliseconds(Duration left) {
    return Math.max(1, left.plusNanos(999_999).toMillis());
  }
}
