package io.rowlock.internal.hibernate;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.hibernate.dialect.Dialect;
import org.hibernate.dialect.PostgreSQLDialect;
import org.hibernate.engine.jdbc.connections.spi.JdbcConnectionAccess;
import org.hibernate.engine.spi.SessionFactoryImplementor;

/**
 * Whether the database is PostgreSQL, and new enough: from the dialect when Rowlock is built, and
 * from the server itself at the first connection. Safe for use by any thread.
 */
final class ServerVersionCheck {

  private static final int OLDEST = 14;
  private static final String NEEDED = "PostgreSQL " + OLDEST + " or newer is needed; ";

  private volatile boolean passed;

  /**
   * Checks the dialect. A dialect that claims less than is needed may only be one that was
   * configured without a version: then the server is asked, if it can be reached.
   *
   * @throws IllegalArgumentException if it is not PostgreSQL's, or the server is too old
   */
  void checkDialect(SessionFactoryImplementor factory) {
    Dialect dialect = factory.getJdbcServices().getDialect();
    if (!(dialect instanceof PostgreSQLDialect)) {
      throw new IllegalArgumentException(
          NEEDED + "the persistence unit's dialect is " + dialect.getClass().getName());
    }
    if (dialect.getVersion().isBefore(OLDEST)) {
      askServer(factory.getJdbcServices().getBootstrapJdbcConnectionAccess(), dialect);
    }
  }

  private void askServer(JdbcConnectionAccess access, Dialect dialect) {
    Connection connection;
    try {
      connection = access.obtainConnection();
    } catch (SQLException | RuntimeException e) {
      throw new IllegalArgumentException(
          NEEDED
              + "the persistence unit's dialect is configured for "
              + dialect.getVersion().getMajor()
              + ", and the server could not be asked",
          e);
    }
    try {
      checkServer(connection);
    } catch (SQLException e) {
      throw new IllegalArgumentException(NEEDED + "the server did not tell its version", e);
    } catch (IllegalStateException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } finally {
      release(access, connection);
    }
  }

  private static void release(JdbcConnectionAccess access, Connection connection) {
    try {
      access.releaseConnection(connection);
    } catch (SQLException e) {
      System.getLogger(ServerVersionCheck.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "Closing the connection that told the version failed",
              e);
    }
  }

  /**
   * Checks the server of a connection, once; costs no round trip.
   *
   * @throws IllegalStateException if it is not PostgreSQL or too old
   */
  void checkServer(Connection connection) throws SQLException {
    if (!passed) {
      DatabaseMetaData server = connection.getMetaData();
      if (!"PostgreSQL".equals(server.getDatabaseProductName())
          || server.getDatabaseMajorVersion() < OLDEST) {
        throw new IllegalStateException(
            NEEDED
                + "the server is "
                + server.getDatabaseProductName()
                + " "
                + server.getDatabaseProductVersion());
      }
      passed = true;
    }
  }
}
