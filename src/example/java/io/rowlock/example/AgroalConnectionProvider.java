package io.rowlock.example;

import static java.util.stream.Collectors.toMap;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalConnectionFactoryConfigurationSupplier;
import io.agroal.api.configuration.supplier.AgroalConnectionPoolConfigurationSupplier;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.configuration.supplier.AgroalPropertiesReader;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.hibernate.HibernateException;
import org.hibernate.cfg.JdbcSettings;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.service.UnknownUnwrapTypeException;
import org.hibernate.service.spi.Configurable;
import org.hibernate.service.spi.Stoppable;

/**
 * Hibernate's connections from an Agroal pool, for a persistence unit that runs outside a
 * container: set {@code hibernate.connection.provider_class} to this class. URL, user and password
 * are the unit's {@code jakarta.persistence.jdbc.*} properties; whatever {@link
 * AgroalPropertiesReader} knows can be set with the prefix {@code agroal.}.
 *
 * <p>The pool opens and closes with the entity manager factory. Safe for use by any thread.
 */
public class AgroalConnectionProvider implements ConnectionProvider, Configurable, Stoppable {

  private static final long serialVersionUID = 1L;

  private static final String PREFIX = "agroal.";

  private transient AgroalDataSource pool;

  @Override
  public void configure(Map<String, Object> settings) {
    Map<String, String> own =
        settings.entrySet().stream()
            .filter(setting -> setting.getKey().startsWith(PREFIX))
            .collect(toMap(Map.Entry::getKey, setting -> setting.getValue().toString()));
    AgroalDataSourceConfigurationSupplier configuration =
        new AgroalPropertiesReader(PREFIX).readProperties(own).modify();
    configure(configuration.connectionPoolConfiguration());
    configure(
        configuration.connectionPoolConfiguration().connectionFactoryConfiguration(), settings);
    try {
      pool = AgroalDataSource.from(configuration);
    } catch (SQLException e) {
      throw new HibernateException("The connection pool does not open", e);
    }
  }

  /** For a pool that needs more than properties can say. */
  void configure(AgroalConnectionPoolConfigurationSupplier configuration) {}

  private static void configure(
      AgroalConnectionFactoryConfigurationSupplier configuration, Map<String, Object> settings) {
    Object url = settings.get(JdbcSettings.JAKARTA_JDBC_URL);
    Object user = settings.get(JdbcSettings.JAKARTA_JDBC_USER);
    Object password = settings.get(JdbcSettings.JAKARTA_JDBC_PASSWORD);
    if (url != null) {
      configuration.jdbcUrl(url.toString());
    }
    if (user != null) {
      configuration.principal(new NamePrincipal(user.toString()));
    }
    if (password != null) {
      configuration.credential(new SimplePassword(password.toString()));
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    return pool.getConnection();
  }

  @Override
  public void closeConnection(Connection connection) throws SQLException {
    connection.close();
  }

  @Override
  public boolean supportsAggressiveRelease() {
    return true;
  }

  @Override
  public boolean isUnwrappableAs(Class<?> type) {
    return type.isAssignableFrom(getClass()) || type.isAssignableFrom(AgroalDataSource.class);
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    if (type.isInstance(pool)) {
      return type.cast(pool);
    }
    throw new UnknownUnwrapTypeException(type);
  }

  @Override
  public void stop() {
    pool.close();
  }
}
