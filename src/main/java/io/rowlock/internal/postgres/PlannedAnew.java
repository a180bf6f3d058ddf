package io.rowlock.internal.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/**
 * Has the server plan a statement anew each time. A statement that the driver prepares at the
 * server keeps the plan that was right when it was made, until the table is analyzed: a load that
 * began with an empty table would scan it for each row to its end. Nothing is sent for this.
 * Stateless.
 */
public final class PlannedAnew {

  private PlannedAnew() {}

  /**
   * From now on, statements that the connection makes are not prepared at the server.
   *
   * @return what is to be {@linkplain #restore restored}
   */
  public static int begin(Connection connection) throws SQLException {
    PGConnection driver = connection.unwrap(PGConnection.class);
    int before = driver.getPrepareThreshold();
    driver.setPrepareThreshold(0);
    return before;
  }

  /** Statements are prepared again as they were before. */
  public static void restore(Connection connection, int before) throws SQLException {
    connection.unwrap(PGConnection.class).setPrepareThreshold(before);
  }
}
