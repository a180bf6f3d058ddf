package io.rowlock.unit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** A data source over a real one whose connections refuse to roll back while told to. */
final class RefusingRollbacks {

  final AtomicBoolean refusing = new AtomicBoolean();

  DataSource around(DataSource pool) {
    return proxy(
        DataSource.class,
        (proxy, method, arguments) -> {
          Object answer = call(pool, method, arguments);
          return answer instanceof Connection connection ? around(connection) : answer;
        });
  }

  private Connection around(Connection connection) {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("rollback") && refusing.get()) {
            throw new SQLException("rollback refused", "08S99");
          }
          return call(connection, method, arguments);
        });
  }

  private static Object call(Object target, java.lang.reflect.Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
