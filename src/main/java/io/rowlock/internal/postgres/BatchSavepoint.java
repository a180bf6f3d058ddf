package io.rowlock.internal.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The savepoint before a batch that locks: going back to it gives back all that the batch has
 * locked and inserted so far, and nothing else. Sent as statements, since a pool may keep the
 * driver's savepoints from a connection that is part of a transaction of JTA. Stateless.
 */
public final class BatchSavepoint {

  private static final String NAME = "rowlock_batch";

  private BatchSavepoint() {}

  /** Begins. */
  public static void set(Connection connection) throws SQLException {
    send(connection, "savepoint " + NAME);
  }

  /** Goes back to where the batch began; it can begin again. */
  public static void rollBack(Connection connection) throws SQLException {
    send(connection, "rollback to savepoint " + NAME);
  }

  /** Keeps what the batch has done. */
  public static void release(Connection connection) throws SQLException {
    send(connection, "release savepoint " + NAME);
  }

  private static void send(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
