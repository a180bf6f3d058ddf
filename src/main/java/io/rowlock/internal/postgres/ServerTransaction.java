package io.rowlock.internal.postgres;

import io.rowlock.IsolationLevel;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;

/** The state of the server's transaction, which may differ from what the layers above believe. */
public final class ServerTransaction {

  /** The state as the server reported it last, with the answer to the latest statement. */
  public enum State {
    /** No transaction is open. */
    NONE,
    /** A transaction is open and can commit. */
    OPEN,
    /** A statement has failed: COMMIT would be answered by ROLLBACK, without an error. */
    FAILED,
    /** The driver's own connection is out of reach; a {@link #probe probe} will tell. */
    UNKNOWN
  }

  /** A statement that does nothing. */
  public static final String PROBE = "select 1";

  private ServerTransaction() {}

  /** The state; costs no round trip. */
  public static State state(Connection connection) {
    try {
      return Driver.state(connection);
    } catch (LinkageError | SQLException e) {
      return State.UNKNOWN;
    }
  }

  /**
   * Sends a trivial statement.
   *
   * @return null if it succeeded; otherwise the failure that had cost the transaction, which the
   *     driver attaches to the one of the probe, or else that one itself
   */
  public static @Nullable SQLException probe(Connection connection) {
    try (Statement statement = connection.createStatement()) {
      statement.execute(PROBE);
      return null;
    } catch (SQLException e) {
      boolean echo = SqlStates.IN_FAILED_TRANSACTION.equals(e.getSQLState());
      return echo && e.getCause() instanceof SQLException first ? first : e;
    }
  }

  /** The isolation level of the transaction, asked for with a statement. */
  public static IsolationLevel isolation(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("select upper(current_setting('transaction_isolation'))")) {
      row.next();
      String name = row.getString(1);
      for (IsolationLevel level : IsolationLevel.values()) {
        if (level.sql().equals(name)) {
          return level;
        }
      }
      // READ UNCOMMITTED, which PostgreSQL takes for this
      return IsolationLevel.READ_COMMITTED;
    }
  }

  /** Apart, so that it is linked only where the driver's classes are in sight. */
  private static final class Driver {

    static State state(Connection connection) throws SQLException {
      if (!connection.isWrapperFor(BaseConnection.class)) {
        return State.UNKNOWN;
      }
      BaseConnection driver = connection.unwrap(BaseConnection.class);
      if (driver.isClosed()) {
        return State.UNKNOWN;
      }
      return switch (driver.getTransactionState()) {
        case IDLE -> State.NONE;
        case OPEN -> State.OPEN;
        case FAILED -> State.FAILED;
      };
    }
  }
}
