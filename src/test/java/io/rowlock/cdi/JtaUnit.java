package io.rowlock.cdi;

import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.rowlock.testing.TestServer;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceConfiguration;
import jakarta.persistence.PersistenceUnitTransactionType;
import jakarta.transaction.TransactionManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/**
 * An entity manager factory whose transactions are those of Narayana, in plain Java without JNDI,
 * with an Agroal pool that enlists its connections.
 */
final class JtaUnit implements AutoCloseable {

  private final AgroalDataSource pool;
  private final EntityManagerFactory factory;

  private JtaUnit(AgroalDataSource pool, EntityManagerFactory factory) {
    this.pool = pool;
    this.factory = factory;
  }

  static JtaUnit open(String url, Map<String, Object> properties, Class<?>... entities) {
    try {
      AgroalDataSource pool = AgroalDataSource.from(poolOf(url));
      PersistenceConfiguration unit =
          new PersistenceConfiguration("jta")
              .transactionType(PersistenceUnitTransactionType.JTA)
              .property("jakarta.persistence.jtaDataSource", pool)
              .property("hibernate.hbm2ddl.auto", "none");
      for (Class<?> entity : entities) {
        unit.managedClass(entity);
      }
      properties.forEach(unit::property);
      return new JtaUnit(pool, unit.createEntityManagerFactory());
    } catch (SQLException e) {
      throw new IllegalStateException("The pool does not open", e);
    }
  }

  static TransactionManager transactionManager() {
    return com.arjuna.ats.jta.TransactionManager.transactionManager();
  }

  EntityManagerFactory factory() {
    return factory;
  }

  /** Closes the connections that are not in use. */
  void flush() {
    pool.flush(AgroalDataSource.FlushMode.IDLE);
  }

  /** How many connections are in use. */
  long inUse() {
    return pool.getMetrics().activeCount();
  }

  @Override
  public void close() {
    factory.close();
    pool.close();
  }

  private static AgroalDataSourceConfigurationSupplier poolOf(String url) {
    return new AgroalDataSourceConfigurationSupplier()
        .metricsEnabled(true)
        .connectionPoolConfiguration(
            configuration ->
                configuration
                    .maxSize(20)
                    .acquisitionTimeout(Duration.ofSeconds(30))
                    .connectionValidator(ConnectionValidator.defaultValidator())
                    .validateOnBorrow(true)
                    .transactionIntegration(
                        new NarayanaTransactionIntegration(
                            transactionManager(),
                            jtaPropertyManager
                                .getJTAEnvironmentBean()
                                .getTransactionSynchronizationRegistry()))
                    .connectionFactoryConfiguration(
                        connections ->
                            connections
                                .jdbcUrl(url)
                                .principal(new NamePrincipal(TestServer.get().user()))
                                .credential(new SimplePassword(TestServer.get().password()))));
  }
}
