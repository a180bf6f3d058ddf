package io.rowlock.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

/**
 * A writer that is not Rowlock: one plain JDBC connection with an open transaction, ended by {@link
 * #commit()} or {@link #rollback()}. Whatever is still open is rolled back after the test.
 */
public final class Rival implements AutoCloseable {

  private final Connection connection;
  private final int pid;

  Rival(Connection connection) throws SQLException {
    this.connection = connection;
    connection.setAutoCommit(false);
    this.pid = ((Number) one("select pg_backend_pid()")).intValue();
    connection.commit();
  }

  /** The server process of this connection. */
  public int pid() {
    return pid;
  }

  /** The connection itself. */
  public Connection connection() {
    return connection;
  }

  /** Sends a statement; answers the update count, or -1 if it was a query. */
  public int execute(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement statement = prepared(sql, parameters)) {
      return statement.execute() ? -1 : statement.getUpdateCount();
    }
  }

  /** Sends a statement on a thread of its own, for one that will have to wait. */
  public Future<Integer> executeAsync(String sql, Object... parameters) {
    return Together.start(() -> execute(sql, parameters));
  }

  /** The first column of the only row. */
  public Object one(String sql, Object... parameters) throws SQLException {
    List<Object> rows = column(sql, parameters);
    if (rows.size() != 1) {
      throw new AssertionError(rows.size() + " rows from: " + sql);
    }
    return rows.get(0);
  }

  /** The first column of all rows. */
  public List<Object> column(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement statement = prepared(sql, parameters);
        ResultSet rows = statement.executeQuery()) {
      List<Object> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getObject(1));
      }
      return values;
    }
  }

  /** Commits. */
  public void commit() throws SQLException {
    connection.commit();
  }

  /** Rolls back. */
  public void rollback() throws SQLException {
    connection.rollback();
  }

  @Override
  public void close() throws SQLException {
    try (connection) {
      if (!connection.isClosed()) {
        connection.rollback();
      }
    } catch (SQLException e) {
      // a test may have killed it
      if (!"08003".equals(e.getSQLState())
          && !"08006".equals(e.getSQLState())
          && !"57P01".equals(e.getSQLState())) {
        throw e;
      }
    }
  }

  private PreparedStatement prepared(String sql, Object... parameters) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }
}
