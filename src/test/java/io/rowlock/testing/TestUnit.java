package io.rowlock.testing;

import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.PostgreSQLExceptionSorter;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.agroal.narayana.NarayanaTransactionIntegration;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceConfiguration;
import jakarta.persistence.PersistenceUnitTransactionType;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.postgresql.xa.PGXADataSource;

/** An entity manager factory with an Agroal pool of its own: one "process" of the application. */
public final class TestUnit implements AutoCloseable {

  private final EntityManagerFactory factory;
  private final AgroalDataSource pool;
  private final StatementLog log;

  private TestUnit(EntityManagerFactory factory, AgroalDataSource pool, StatementLog log) {
    this.factory = factory;
    this.pool = pool;
    this.log = log;
  }

  /** The factory. */
  public EntityManagerFactory factory() {
    return factory;
  }

  /** The pool. */
  public AgroalDataSource pool() {
    return pool;
  }

  /** What was sent, if the unit was built with {@link Builder#recording()}. */
  public StatementLog log() {
    return log;
  }

  @Override
  public void close() {
    if (factory.isOpen()) {
      factory.close();
    }
    pool.close();
  }

  /** What a unit is built from. */
  public static final class Builder {

    private final Postgres db;
    private final Class<?>[] entities;
    private final Map<String, Object> properties = new LinkedHashMap<>();
    private int poolSize = 40;
    private boolean validated = true;
    private boolean sorted;
    private boolean jta;
    private boolean xa;
    private boolean autoCommit = true;
    private String parameters = "";
    private String user = TestServer.get().user();
    private String password = TestServer.get().password();
    private UnaryOperator<DataSource> wrapping = UnaryOperator.identity();
    private UnaryOperator<String> route = UnaryOperator.identity();
    private final StatementLog log = new StatementLog();

    Builder(Postgres db, Class<?>... entities) {
      this.db = db;
      this.entities = entities;
      properties.put("hibernate.hbm2ddl.auto", "none");
    }

    /** The pool's size, 40 by default. */
    public Builder poolSize(int connections) {
      poolSize = connections;
      return this;
    }

    /** Leaves out the validation of connections that are borrowed. */
    public Builder unvalidated() {
      validated = false;
      return this;
    }

    /** Has the pool drop a connection after its first failure of class 08. */
    public Builder sorted() {
      sorted = true;
      return this;
    }

    /** Has the pool hand out connections that are not in auto-commit mode. */
    public Builder manualCommit() {
      autoCommit = false;
      return this;
    }

    /** Has Narayana begin and end the transactions, and the pool enlist its connections. */
    public Builder jta() {
      jta = true;
      return this;
    }

    /** As {@link #jta()}, with a data source of XA. */
    public Builder xa() {
      xa = true;
      return jta();
    }

    /** A property of the persistence unit. */
    public Builder property(String name, Object value) {
      properties.put(name, value);
      return this;
    }

    /** A parameter of the JDBC URL. */
    public Builder urlParameter(String name, String value) {
      parameters += "&" + name + "=" + value;
      return this;
    }

    /** Leads the connections through a proxy. */
    public Builder through(TcpProxy proxy) {
      route = proxy::through;
      return this;
    }

    /** The role that connects. */
    public Builder role(String name, String secret) {
      user = name;
      password = secret;
      return this;
    }

    /** Puts something between Hibernate and the pool. */
    public Builder wrapping(UnaryOperator<DataSource> wrapper) {
      wrapping = wrapper;
      return this;
    }

    /** Records every statement that Hibernate's connections send. */
    public Builder recording() {
      wrapping = log::around;
      return this;
    }

    /** Opens the pool and the factory; both are closed after the test class. */
    public TestUnit open() {
      try {
        AgroalDataSource pool = AgroalDataSource.from(poolConfiguration());
        PersistenceConfiguration unit = new PersistenceConfiguration("test");
        for (Class<?> entity : entities) {
          unit.managedClass(entity);
        }
        unit.transactionType(
            jta
                ? PersistenceUnitTransactionType.JTA
                : PersistenceUnitTransactionType.RESOURCE_LOCAL);
        unit.property(
            jta ? "jakarta.persistence.jtaDataSource" : "jakarta.persistence.nonJtaDataSource",
            wrapping.apply(pool));
        properties.forEach(unit::property);
        TestUnit opened = new TestUnit(unit.createEntityManagerFactory(), pool, log);
        db.opened(opened);
        return opened;
      } catch (SQLException e) {
        throw new IllegalStateException("The pool does not open", e);
      }
    }

    private AgroalDataSourceConfigurationSupplier poolConfiguration() {
      return new AgroalDataSourceConfigurationSupplier()
          .metricsEnabled(true)
          .connectionPoolConfiguration(
              configuration -> {
                configuration
                    .maxSize(poolSize)
                    .acquisitionTimeout(Duration.ofSeconds(30))
                    .connectionFactoryConfiguration(
                        connections ->
                            connections
                                .connectionProviderClass(xa ? PGXADataSource.class : null)
                                .jdbcUrl(route.apply(db.url() + parameters))
                                .autoCommit(autoCommit)
                                .principal(new NamePrincipal(user))
                                .credential(new SimplePassword(password)));
                if (validated) {
                  configuration
                      .connectionValidator(ConnectionValidator.defaultValidator())
                      .validateOnBorrow(true);
                }
                if (sorted) {
                  configuration.exceptionSorter(new PostgreSQLExceptionSorter());
                }
                if (jta) {
                  configuration.transactionIntegration(
                      new NarayanaTransactionIntegration(
                          com.arjuna.ats.jta.TransactionManager.transactionManager(),
                          jtaPropertyManager
                              .getJTAEnvironmentBean()
                              .getTransactionSynchronizationRegistry()));
                }
                return configuration;
              });
    }
  }
}
