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
import org.hibernate.engine.spi.EntityKey;
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
  List<Object> lockIds(LockTarget target, LockTable table, Collection<?> ids, Locking how) {
    List<Object> locked = new ArrayList<>();
    query(
        LockStatements.lockIds(table.name(), table.id(), how),
        row -> locked.add(target.id().read(row, 1, session)),
        target.id().arraysOf(ids, session));
    return locked;
  }

  /** Locks the rows of a table whose ids the arrays are. */
  void lockIds(LockTable table, List<String> arrays, Locking how) {
    query(LockStatements.lockIds(table.name(), table.id(), how), row -> {}, arrays);
  }

  /** Which of the ids, counted from one, the database holds to be one of the stored ids. */
  Set<Integer> positions(LockTarget target, Collection<?> ids, Collection<?> stored) {
    Set<Integer> found = new HashSet<>();
    LockTable table = target.idTables().get(0);
    List<String> arrays = new ArrayList<>(target.id().arraysOf(ids, session));
    arrays.addAll(target.id().arraysOf(stored, session));
    query(
        LockStatements.positions(table.name(), table.id()),
        row -> found.add(row.getInt(1)),
        arrays);
    return found;
  }

  /** Raises the versions of rows of one table; answers the new ones by id. */
  Map<EntityKey, Long> incrementVersions(LockTarget target, LockTable table, Collection<?> ids) {
    Map<EntityKey, Long> versions = new HashMap<>();
    int version = table.id().size() + 1;
    query(
        LockStatements.incrementVersions(table.name(), table.id(), target.versionColumn()),
        row ->
            versions.put(
                session.generateEntityKey(target.id().read(row, 1, session), target.persister()),
                row.getLong(version)),
        target.id().arraysOf(ids, session));
    return versions;
  }

  /** Changes rows; answers how many. */
  int update(String sql, List<String> arrays) {
    JdbcCoordinator jdbc = session.getJdbcCoordinator();
    int[] changed = new int[1];
    send(
        sql,
        arrays,
        statement -> changed[0] = jdbc.getResultSetReturn().executeUpdate(statement, sql));
    return changed[0];
  }

  private interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  private interface Execution {
    void of(PreparedStatement statement) throws SQLException;
  }

  private void query(String sql, RowReader reader, List<String> arrays) {
    JdbcCoordinator jdbc = session.getJdbcCoordinator();
    send(
        sql,
        arrays,
        statement -> {
          ResultSet rows = jdbc.getResultSetReturn().extract(statement, sql);
          while (rows.next()) {
            reader.read(rows);
          }
        });
  }

  private void send(String sql, List<String> arrays, Execution execution) {
    JdbcCoordinator jdbc = session.getJdbcCoordinator();
    try {
      PreparedStatement statement = jdbc.getStatementPreparer().prepareStatement(sql);
      try {
        for (int i = 0; i < arrays.size(); i++) {
          statement.setObject(i + 1, arrays.get(i), Types.OTHER);
        }
        execution.of(statement);
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
