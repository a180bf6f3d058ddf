package io.rowlock.internal.hibernate;

import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationTargetException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;

/**
 * Whether a factory's pool gets rid of dead connections, where that can be seen: of Agroal, whose
 * defaults keep them for ever. Agroal's classes need not be there, so they are called by their
 * names. What cannot be seen is passed over.
 *
 * <p>Safe for use by any thread.
 */
final class PoolCheck {

  private static final System.Logger LOGGER = System.getLogger(PoolCheck.class.getName());
  private static final SeenFactories SEEN = new SeenFactories();

  private static final String AGROAL = "io.agroal.api.AgroalDataSource";
  private static final String CONNECTION_LOST = "08006";

  private PoolCheck() {}

  /** Logs a warning if it does not, the first time that the factory is looked at. */
  static void report(SessionFactoryImplementor factory) {
    if (!SEEN.add(factory)) {
      return;
    }
    try {
      Object agroal = agroalOf(dataSource(factory));
      if (agroal != null && keepsDeadConnections(agroal)) {
        LOGGER.log(
            Level.WARNING,
            "Pool: Agroal keeps dead connections and hands them out again, so that after a failover or"
                + " a restart every unit of work that gets one fails. Set exceptionSorter to PostgreSQL's"
                + " (exceptionSorter=POSTGRESQL, new PostgreSQLExceptionSorter()), or connectionValidator to"
                + " the default one together with validateOnBorrow, or both");
      }
    } catch (ReflectiveOperationException | SQLException | RuntimeException | LinkageError e) {
      LOGGER.log(Level.DEBUG, "The pool's configuration cannot be read", e);
    }
  }

  private static @Nullable DataSource dataSource(SessionFactoryImplementor factory) {
    ConnectionProvider provider = factory.getServiceRegistry().getService(ConnectionProvider.class);
    return provider != null && provider.isUnwrappableAs(DataSource.class)
        ? provider.unwrap(DataSource.class)
        : null;
  }

  /** Something may be between Hibernate and the pool. */
  private static @Nullable Object agroalOf(@Nullable DataSource dataSource)
      throws SQLException, ClassNotFoundException {
    if (dataSource == null) {
      return null;
    }
    Class<?> agroal = classNamed(AGROAL, dataSource);
    if (agroal == null) {
      return null;
    }
    if (agroal.isInstance(dataSource)) {
      return dataSource;
    }
    return dataSource.isWrapperFor(agroal) ? dataSource.unwrap(agroal) : null;
  }

  private static @Nullable Class<?> classNamed(String name, DataSource seenBy) {
    for (ClassLoader loader :
        new ClassLoader[] {
          seenBy.getClass().getClassLoader(),
          Thread.currentThread().getContextClassLoader(),
          PoolCheck.class.getClassLoader()
        }) {
      try {
        return Class.forName(name, false, loader);
      } catch (ClassNotFoundException e) {
        // not in the sight of this one
      }
    }
    return null;
  }

  private static boolean keepsDeadConnections(Object agroal) throws ReflectiveOperationException {
    Object pool =
        call(
            call(agroal, AGROAL, "getConfiguration"),
            "io.agroal.api.configuration.AgroalDataSourceConfiguration",
            "connectionPoolConfiguration");
    String type = "io.agroal.api.configuration.AgroalConnectionPoolConfiguration";
    boolean drops =
        answers(
            call(pool, type, "exceptionSorter"),
            type + "$ExceptionSorter",
            "isFatal",
            SQLException.class,
            new SQLException("", CONNECTION_LOST));
    boolean onBorrow = Boolean.TRUE.equals(call(pool, type, "validateOnBorrow"));
    // one that takes no connection at all for a valid one does not look
    boolean looks =
        !answers(
            call(pool, type, "connectionValidator"),
            type + "$ConnectionValidator",
            "isValid",
            java.sql.Connection.class,
            null);
    return !drops && !(onBorrow && looks);
  }

  private static Object call(Object on, String type, String method)
      throws ReflectiveOperationException {
    return typeOf(on, type).getMethod(method).invoke(on);
  }

  private static boolean answers(
      Object on, String type, String method, Class<?> parameter, @Nullable Object argument)
      throws ReflectiveOperationException {
    try {
      return Boolean.TRUE.equals(
          typeOf(on, type).getMethod(method, parameter).invoke(on, argument));
    } catch (InvocationTargetException e) {
      return false;
    }
  }

  private static Class<?> typeOf(Object on, String type) throws ClassNotFoundException {
    return Class.forName(type, false, on.getClass().getClassLoader());
  }
}
