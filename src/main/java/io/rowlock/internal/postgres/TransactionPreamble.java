package io.rowlock.internal.postgres;

import io.rowlock.IsolationLevel;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The first words of a unit's transaction: its isolation level and, with a deadline, the time that
 * is left. Everything is local to the transaction, so that nothing of it reaches the pool. The
 * driver sends all of it, and the BEGIN before it, in one round trip.
 */
public final class TransactionPreamble {

  /** How much longer than a wait for a lock a statement may take, in milliseconds. */
  private static final long STATEMENT_MARGIN = 200;

  private TransactionPreamble() {}

  /**
   * What is known of a transaction that was opened.
   *
   * @param witness see {@link TransactionWitness}; null if there is none
   * @param mark the transaction's mark, if its id was to be assigned
   */
  public record Opened(@Nullable String witness, @Nullable TransactionMark mark) {}

  /**
   * Sends it.
   *
   * @param connection with a transaction that has just begun
   * @param level the isolation level, or null to leave it as it is
   * @param left what is left until the deadline, or null for none
   * @param assigning whether to have the transaction's id assigned
   */
  public static Opened send(
      Connection connection,
      @Nullable IsolationLevel level,
      @Nullable Duration left,
      boolean assigning)
      throws SQLException {
    String witness = TransactionWitness.of(connection);
    String sql = text(level, left, witness);
    if (assigning) {
      sql += (sql.isEmpty() ? "" : "; ") + TransactionMark.ASSIGNING;
    }
    if (sql.isEmpty()) {
      return new Opened(null, null);
    }
    try (Statement statement = connection.createStatement()) {
      boolean isQuery = statement.execute(sql);
      TransactionMark mark = assigning ? lastOf(statement, isQuery) : null;
      // something between driver and server may keep such reports to itself
      boolean unseen = witness == null || TransactionWitness.isGone(connection, witness);
      return new Opened(unseen ? null : witness, mark);
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

  static String text(
      @Nullable IsolationLevel level, @Nullable Duration left, @Nullable String witness) {
    StringJoiner sql = new StringJoiner("; ");
    if (level != null) {
      sql.add("set transaction isolation level " + level.sql());
    }
    if (witness != null) {
      sql.add(TransactionWitness.statement(witness));
    }
    if (left != null) {
      sql.add(lowerTimeouts(milliseconds(left)));
    }
    return sql.toString();
  }

  /**
   * Lowers, never raises: what the role, the database or the server allows stays if it is less. The
   * bound of a statement begins with it, that of a lock with the wait for it: with equal bounds a
   * wait for a lock would be told as a statement that took too long.
   */
  private static String lowerTimeouts(long milliseconds) {
    return "select set_config(name, ms::text, true)"
        + " from unnest(array['lock_timeout', 'statement_timeout'], array["
        + milliseconds
        + ", "
        + (milliseconds + STATEMENT_MARGIN)
        + "]) as t (name, ms)"
        + " where current_setting(name)::interval = interval '0'"
        + " or current_setting(name)::interval > ms * interval '1 millisecond'";
  }

  /**
   * Rounded up, so that the server does not give up before the deadline; zero would stand for no
   * bound.
   */
  private static long milliseconds(Duration left) {
    return Math.max(1, left.plusNanos(999_999).toMillis());
  }
}
