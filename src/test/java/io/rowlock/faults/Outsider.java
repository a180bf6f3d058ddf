package io.rowlock.faults;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A writer beside the application: one plain connection with an open transaction. */
final class Outsider implements AutoCloseable {

  private final Connection connection;
  private final Connection watching;
  private final int pid;

  Outsider(OwnServer server) throws SQLException {
    connection = server.connect();
    watching = server.connect();
    pid = (int) number(connection, "select pg_backend_pid()");
    connection.setAutoCommit(false);
  }

  /** Locks rows of a table, in the order of their ids or against it. */
  void lock(String table, String condition, boolean ascending) throws SQLException {
    execute(
        "select id from "
            + table
            + " where "
            + condition
            + " order by id "
            + (ascending ? "asc" : "desc")
            + " for no key update");
  }

  void execute(String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.execute();
    }
  }

  /** Whether some backend waits for a lock that this one has. */
  boolean isInTheWay() throws SQLException {
    return number(
            watching,
            "select count(*) from pg_stat_activity where " + pid + " = any (pg_blocking_pids(pid))")
        > 0;
  }

  void commit() throws SQLException {
    connection.commit();
  }

  void rollback() throws SQLException {
    connection.rollback();
  }

  private static long number(Connection on, String sql) throws SQLException {
    try (PreparedStatement statement = on.prepareStatement(sql);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public void close() throws SQLException {
    try (watching;
        connection) {
      connection.rollback();
    }
  }
}
