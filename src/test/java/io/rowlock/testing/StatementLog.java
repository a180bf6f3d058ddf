package io.rowlock.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import net.ttddyy.dsproxy.ExecutionInfo;
import net.ttddyy.dsproxy.QueryInfo;
import net.ttddyy.dsproxy.listener.MethodExecutionContext;
import net.ttddyy.dsproxy.listener.MethodExecutionListener;
import net.ttddyy.dsproxy.listener.QueryExecutionListener;
import net.ttddyy.dsproxy.support.ProxyDataSourceBuilder;

/**
 * The statements that went to the driver, one entry for each execution, so one for each round trip
 * except for BEGIN (which the driver sends along), COMMIT and ROLLBACK.
 */
public final class StatementLog {

  private final List<String> statements = new CopyOnWriteArrayList<>();
  private final AtomicInteger begun = new AtomicInteger();

  DataSource around(DataSource pool) {
    return ProxyDataSourceBuilder.create(pool)
        .listener(
            new QueryExecutionListener() {
              @Override
              public void beforeQuery(ExecutionInfo execution, List<QueryInfo> queries) {
                statements.add(
                    String.join("; ", queries.stream().map(QueryInfo::getQuery).toList()));
              }

              @Override
              public void afterQuery(ExecutionInfo execution, List<QueryInfo> queries) {}
            })
        .methodListener(
            new MethodExecutionListener() {
              @Override
              public void beforeMethod(MethodExecutionContext call) {
                if (call.getMethod().getName().equals("setAutoCommit")
                    && Boolean.FALSE.equals(call.getMethodArgs()[0])) {
                  begun.incrementAndGet();
                }
              }

              @Override
              public void afterMethod(MethodExecutionContext call) {}
            })
        .build();
  }

  /** How many transactions were begun since the last {@link #clear()}. */
  public int begun() {
    return begun.get();
  }

  /** Forgets what was recorded. */
  public void clear() {
    begun.set(0);
    statements.clear();
  }

  /** What was sent since the last {@link #clear()}. */
  public List<String> statements() {
    return List.copyOf(statements);
  }

  /**
   * What was sent since the last {@link #clear()}, without the statements that open a unit and the
   * one before its COMMIT.
   */
  public List<String> work() {
    return statements.stream()
        .filter(sql -> !sql.toUpperCase(java.util.Locale.ROOT).startsWith("SET TRANSACTION"))
        .filter(sql -> !sql.startsWith("select pg_current_xact_id_if_assigned()"))
        .toList();
  }
}
