package io.rowlock.internal.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What a server says, on another connection, of a transaction whose COMMIT was not answered.
 *
 * <p>{@code pg_xact_status} knows ids, not transactions, so two questions come first:
 *
 * <ul>
 *   <li>Is it the server that ran it? It is if it was started at the same time, or was started
 *       after the transaction began and has never been a standby. One that was running before, or
 *       was promoted, may have a history of its own.
 *   <li>May it have crashed since? Ids that had not reached the disk are given again after a crash:
 *       then "committed" may be said of somebody else's transaction. "Aborted", and that the id was
 *       not given yet, still say that ours is lost. No crash is proven by the statistics of the
 *       server, which do not survive one; they can also be reset by hand.
 * </ul>
 *
 * @param state what is known
 * @param reason why it is not more, for a message
 */
public record TransactionFate(State state, String reason) {

  /** What is known of a transaction. */
  public enum State {
    /** It was committed. */
    COMMITTED,
    /** It was rolled back. */
    ROLLED_BACK,
    /**
     * It cannot be told yet: it is in progress, or the server is a standby that may be promoted.
     */
    UNDECIDED,
    /** It cannot be told by this server. */
    UNKNOWN
  }

  private static final String INVALID_PARAMETER = "22023";
  private static final String SERVER =
      "select pg_is_in_recovery(),"
          + " extract(epoch from pg_postmaster_start_time()) = ?::numeric,"
          + " extract(epoch from pg_postmaster_start_time()) > ?::numeric,"
          + " coalesce(extract(epoch from pg_stat_get_bgwriter_stat_reset_time()) >= ?::numeric, true)";
  private static final String NEVER_PROMOTED =
      "select pg_walfile_name(pg_current_wal_insert_lsn()) like '00000001%'";
  private static final String STATUS = "select pg_xact_status(?::xid8)";

  /** Commit timestamps are kept only where that is switched on. */
  private static final String COMMITTED_BEFORE_CRASH =
      "select case when current_setting('track_commit_timestamp')::boolean"
          + " then pg_xact_commit_timestamp(?::xid8::xid) < pg_stat_get_bgwriter_stat_reset_time() end";

  private static final TransactionFate COMMITTED =
      new TransactionFate(State.COMMITTED, "the server has committed it");
  private static final TransactionFate ROLLED_BACK =
      new TransactionFate(State.ROLLED_BACK, "the server has rolled it back");

  /**
   * Asks.
   *
   * @param connection one that is in no transaction
   * @param mark a transaction with an id
   */
  public static TransactionFate of(Connection connection, TransactionMark mark)
      throws SQLException {
    boolean mayHaveCrashed;
    try (PreparedStatement statement = connection.prepareStatement(SERVER)) {
      statement.setString(1, mark.server());
      statement.setString(2, mark.began());
      statement.setString(3, mark.began());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        if (row.getBoolean(1)) {
          return new TransactionFate(State.UNDECIDED, "the server that was asked is a standby");
        }
        mayHaveCrashed = row.getBoolean(4);
        if (!row.getBoolean(2) && !(row.getBoolean(3) && isNeverPromoted(connection))) {
          return unknown("the server that was asked may have another history");
        }
      }
    }
    return of(connection, String.valueOf(mark.id()), mayHaveCrashed);
  }

  private static TransactionFate of(Connection connection, String id, boolean mayHaveCrashed)
      throws SQLException {
    String status;
    try {
      status = one(connection, STATUS, id);
    } catch (SQLException e) {
      if (!INVALID_PARAMETER.equals(e.getSQLState())) {
        throw e;
      }
      // an id that was never given
      return mayHaveCrashed ? ROLLED_BACK : unknown("the server has not come to that id yet");
    }
    if (status == null) {
      return unknown("the server does not know that any more");
    }
    return switch (status) {
      case "committed" -> mayHaveCrashed ? committedUnlessGivenAgain(connection, id) : COMMITTED;
      case "aborted" -> ROLLED_BACK;
      default -> new TransactionFate(State.UNDECIDED, "the transaction is still in progress");
    };
  }

  private static TransactionFate committedUnlessGivenAgain(Connection connection, String id)
      throws SQLException {
    return "t".equals(one(connection, COMMITTED_BEFORE_CRASH, id))
        ? COMMITTED
        : unknown("the server may have crashed since, and have given the id again");
  }

  private static boolean isNeverPromoted(Connection connection) {
    try {
      return "t".equals(one(connection, NEVER_PROMOTED, null));
    } catch (SQLException e) {
      // not everything that speaks the protocol has such files
      return false;
    }
  }

  private static @Nullable String one(Connection connection, String sql, @Nullable String parameter)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      if (parameter != null) {
        statement.setString(1, parameter);
      }
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  private static TransactionFate unknown(String reason) {
    return new TransactionFate(State.UNKNOWN, reason);
  }
}
