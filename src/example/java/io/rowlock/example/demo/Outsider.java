package io.rowlock.example.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A writer that knows nothing of Rowlock: one JDBC connection, one transaction. */
final class Outsider implements AutoCloseable {

  private static final String DEADLOCK = "40P01";
  private static final int LOOKS = 1_000;

  private final DemoSchema schema;
  private final Connection connection;
  private final long pid;

  Outsider(DemoSchema schema) throws SQLException {
    this.schema = schema;
    connection = schema.connectAsApplication();
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
      row.next();
      pid = row.getLong(1);
    }
  }

  /** Changes a title; false if that made this transaction a deadlock's victim. */
  boolean append(long id, String text) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "update articles set title = title || ?, revision = revision + 1 where id = ?")) {
      statement.setString(1, text);
      statement.setLong(2, id);
      DemoFailure.unlessEqual("Rows that the outsider changed", 1, statement.executeUpdate());
      return true;
    } catch (SQLException e) {
      if (DEADLOCK.equals(e.getSQLState())) {
        connection.rollback();
        return false;
      }
      throw e;
    }
  }

  void commit() throws SQLException {
    connection.commit();
  }

  /** Waits until another transaction waits for this one. */
  void awaitSomebodyWaiting() throws SQLException {
    for (int i = 0; i < LOOKS; i++) {
      long waiting =
          schema.number(
              "select count(*) filter (where "
                  + pid
                  + " = any (pg_blocking_pids(pid))) from pg_stat_activity, pg_sleep(0.005)");
      if (waiting > 0) {
        return;
      }
    }
    DemoFailure.unless(false, "Nobody waits for the outsider's lock");
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
