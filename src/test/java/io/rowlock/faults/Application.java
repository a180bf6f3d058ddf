package io.rowlock.faults;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.rowlock.CommitOutcome;
import io.rowlock.Rowlock;
import io.rowlock.UnitInfo;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceConfiguration;
import jakarta.persistence.PersistenceUnitTransactionType;
import java.sql.SQLException;

/** A pool, a factory and a Rowlock: one process of the application. */
final class Application implements AutoCloseable {

  /** What the server calls its connections. */
  static final String NAME = "application";

  private final Setup setup;
  private final AgroalDataSource pool;
  private final EntityManagerFactory factory;
  private final Rowlock rowlock;

  Application(Setup setup, Tally tally) {
    this.setup = setup;
    try {
      pool = AgroalDataSource.from(poolOf(setup));
    } catch (SQLException e) {
      throw new IllegalStateException("The pool does not open", e);
    }
    factory =
        new PersistenceConfiguration("faults")
            .managedClass(Account.class)
            .managedClass(Counter.class)
            .managedClass(Label.class)
            .managedClass(Entry.class)
            .transactionType(PersistenceUnitTransactionType.RESOURCE_LOCAL)
            .property("jakarta.persistence.nonJtaDataSource", pool)
            .property("hibernate.hbm2ddl.auto", "none")
            .property("rowlock.commit-tracking", setup.tracking())
            .createEntityManagerFactory();
    Rowlock.Builder builder = Rowlock.builder(factory).retry(setup.policy()).listener(tally);
    if (setup.ownCheck()) {
      builder.commitCheck(Application::look);
    }
    rowlock = builder.build();
  }

  /** Looks into the journal, under the call's token; to find nothing there proves nothing. */
  private static CommitOutcome look(UnitInfo unit, EntityManager em) {
    long lines =
        em.createQuery("select count(*) from Entry e where e.token = :token", Long.class)
            .setParameter("token", unit.name())
            .getSingleResult();
    return lines > 0 ? CommitOutcome.COMMITTED : CommitOutcome.UNKNOWN;
  }

  Setup setup() {
    return setup;
  }

  AgroalDataSource pool() {
    return pool;
  }

  Rowlock rowlock() {
    return rowlock;
  }

  @Override
  public void close() {
    factory.close();
    pool.close();
  }

  /** As the guide asks for: a connection is looked at before it is handed out. */
  private static AgroalDataSourceConfigurationSupplier poolOf(Setup setup) {
    String url = setup.url() + (setup.url().contains("?") ? "&" : "?") + "ApplicationName=" + NAME;
    return new AgroalDataSourceConfigurationSupplier()
        .metricsEnabled(true)
        .connectionPoolConfiguration(
            pool ->
                pool.maxSize(setup.poolSize())
                    .acquisitionTimeout(setup.acquisition())
                    .connectionValidator(ConnectionValidator.defaultValidator())
                    .validateOnBorrow(true)
                    .connectionFactoryConfiguration(
                        connections ->
                            connections
                                .jdbcUrl(url)
                                .principal(new NamePrincipal("postgres"))
                                .credential(new SimplePassword("postgres"))));
  }
}
