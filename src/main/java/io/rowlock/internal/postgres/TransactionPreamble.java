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
   */
  public static void send(
      Connection connection, @Nullable IsolationLevel level, @Nullable Duration left)
      throws SQLException {
    String sql = text(level, left);
    if (!sql.isEmpty()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(sql);
      }
    }
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
