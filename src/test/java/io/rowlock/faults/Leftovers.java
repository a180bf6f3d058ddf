package io.rowlock.faults;

import io.agroal.api.AgroalDataSource;
import io.rowlock.testing.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** What a round must not leave behind: a lock, a connection, a transaction, a setting. */
final class Leftovers {

  private static final String BUSY =
      "select pid, state, wait_event, query from pg_stat_activity"
          + " where application_name = '"
          + Application.NAME
          + "' and state is distinct from 'idle'";

  private static final String CONNECTIONS =
      "select pid, state, query from pg_stat_activity where application_name = '"
          + Application.NAME
          + "'";

  private static final String LOCKS =
      "select pid, locktype, mode, granted from pg_locks where pid in"
          + " (select pid from pg_stat_activity where application_name = '"
          + Application.NAME
          + "')";

  private static final String SETTINGS =
      "select concat_ws(' ', current_setting('lock_timeout'), current_setting('statement_timeout'),"
          + " current_setting('transaction_isolation'), current_setting('transaction_read_only'))";

  private final Site site;
  private final List<String> found = new ArrayList<>();

  Leftovers(Site site) {
    this.site = site;
  }

  List<String> found() {
    AgroalDataSource pool = site.application().pool();
    none("a connection is in use", () -> List.of(), () -> pool.getMetrics().activeCount() == 0);
    none("a transaction is open", () -> site.server().rows(BUSY));
    none("a lock is held", () -> site.server().rows(LOCKS));
    none(
        "a transaction is prepared", () -> site.server().rows("select gid from pg_prepared_xacts"));
    none(
        "a connection that the pool does not know",
        () -> site.server().rows(CONNECTIONS),
        () -> site.server().rows(CONNECTIONS).size() <= pool.getMetrics().availableCount());
    borrowed(pool);
    return found;
  }

  private void none(String what, Callable<List<List<Object>>> rows) {
    none(what, rows, () -> rows.call().isEmpty());
  }

  /** The end of a session may take the server a moment after its client has gone. */
  private void none(String what, Callable<List<List<Object>>> rows, Callable<Boolean> gone) {
    try {
      Await.until("not: " + what, gone);
    } catch (AssertionError e) {
      found.add(what + ": " + shown(rows) + " (" + e.getMessage() + ")");
    }
  }

  private static Object shown(Callable<List<List<Object>>> rows) {
    try {
      return rows.call();
    } catch (Exception e) {
      return e;
    }
  }

  /** Borrows every connection that the pool can give, and looks at each. */
  private void borrowed(AgroalDataSource pool) {
    List<Connection> all = new ArrayList<>();
    try {
      for (int i = 0; i < site.application().setup().poolSize(); i++) {
        Connection connection = pool.getConnection();
        all.add(connection);
        if (!connection.getAutoCommit()
            || connection.unwrap(BaseConnection.class).getTransactionState()
                != TransactionState.IDLE) {
          found.add("a connection of the pool with a transaction");
        }
        String settings = settings(connection);
        if (!settings.equals("0 0 read committed off")) {
          found.add("settings that stuck to a connection of the pool: " + settings);
        }
      }
    } catch (SQLException e) {
      found.add("the pool gives no connection afterwards: " + Told.of(e));
    } finally {
      for (Connection connection : all) {
        try {
          connection.close();
        } catch (SQLException e) {
          found.add("a connection does not close: " + Told.of(e));
        }
      }
    }
  }

  private static String settings(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(SETTINGS)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
