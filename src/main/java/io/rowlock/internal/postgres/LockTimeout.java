package io.rowlock.internal.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The server's {@code lock_timeout} of the current transaction: lowered for a statement, then put
 * back. Nothing of it outlives the transaction.
 *
 * <p>Stateless.
 */
public final class LockTimeout {

  /** The subquery keeps the setting as it was before the select list changes it. */
  private static final String LOWER =
      "select v, case when v::interval = interval '0' or v::interval > ?::interval"
          + " then set_config('lock_timeout', ?, true) end"
          + " from (select current_setting('lock_timeout') as v offset 0) b";

  private static final String RESTORE = "select set_config('lock_timeout', ?, true)";

  private LockTimeout() {}

  /**
   * Lowers the timeout, unless it is as low already.
   *
   * @return what it was, for {@link #restore}
   */
  public static String lower(Connection connection, Duration limit) throws SQLException {
    String millis = limit.plusNanos(999_999).toMillis() + "ms";
    try (PreparedStatement statement = connection.prepareStatement(LOWER)) {
      statement.setString(1, millis);
      statement.setString(2, millis);
      return first(statement);
    }
  }

  /**
   * Sets the timeout to what {@link #lower} answered.
   *
   * @return what it is now
   */
  public static String restore(Connection connection, String before) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(RESTORE)) {
      statement.setString(1, before);
      return first(statement);
    }
  }

  private static String first(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery()) {
      rows.next();
      return rows.getString(1);
    }
  }
}
