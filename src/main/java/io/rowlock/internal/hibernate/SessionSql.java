package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.LockStatements;
import io.rowlock.lock.Locking;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hibernate.HibernateException;
import org.hibernate.engine.jdbc.spi.JdbcCoordinator;
import org.hibernate.engine.spi.SessionImplementor;

/**
 * Statements about ids alone, sent the way Hibernate sends its own: logged, counted and inspected
 * like those, their failures converted like those.
 *
 * <p>For the thread of its session.
 */
final class SessionSql {

  private final SessionImplementor session;

  SessionSql(SessionImplementor session) {
    this.session = session;
  }

  /**
   * Locks the rows of one of the target's tables; answers their ids in the order in which they were
   * locked.
   */
  List<Object> lockIds(LockTarget target, LockTarget.Table table, Collection<?> ids, Locking how) {
    List<Object> locked = new ArrayList<>();
    query(
        LockStatements.lockIds(table.name(), table.id(), how),
        row -> locked.add(target.id().read(row, 1, session)),
        target.id().arrayOf(ids, session));
    return locked;
  }

  /** Which of the ids, counted from one, the database holds to be one of the stored ids. */
  Set<Integer> positions(LockTarget target, Collection<?> ids, Collection<?> stored) {
    Set<Integer> found = new HashSet<>();
    query(
        LockStatements.positions(target.tables().get(0).name(), target.id().name()),
        row -> found.add(row.getInt(1)),
        target.id().arrayOf(ids, session),
        target.id().arrayOf(stored, session));
    return found;
  }

  /** Raises the versions; answers the new ones by id. */
  Map<Object, Long> incrementVersions(LockTarget target, Collection<?> ids) {
    Map<Object, Long> versions = new HashMap<>();
    query(
        LockStatements.incrementVersions(
            target.tables().get(0).name(), target.id().name(), target.versionColumn()),
        row -> versions.put(target.id().read(row, 1, session), row.getLong(2)),
        target.id().arrayOf(ids, session));
    return versions;
  }

  private interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  private void query(String sql, RowReader reader, String... arrays) {
    JdbcCoordinator jdbc = session.getJdbcCoordinator();
    try {
      PreparedStatement statement = jdbc.getStatementPreparer().prepareStatement(sql);
      try {
        for (int i = 0; i < arrays.length; i++) {
          statement.setObject(i + 1, arrays[i], Types.OTHER);
        }
        ResultSet rows = jdbc.getResultSetReturn().extract(statement, sql);
        while (rows.next()) {
          reader.read(rows);
        }
      } catch (SQLException e) {
        throw session
            .getJdbcServices()
            .getSqlExceptionHelper()
            .convert(e, "could not execute statement", sql);
      } finally {
        jdbc.getLogicalConnection().getResourceRegistry().release(statement);
        jdbc.afterStatementExecution();
      }
    } catch (HibernateException e) {
      throw session.getExceptionConverter().convert(e);
    }
  }
}
