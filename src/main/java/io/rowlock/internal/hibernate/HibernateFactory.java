package io.rowlock.internal.hibernate;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.Map;
import java.util.Objects;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.hibernate.resource.transaction.spi.TransactionCoordinatorBuilder;

/**
 * Hibernate's side of an entity manager factory that was checked to be one Rowlock can work with.
 */
public final class HibernateFactory {

  private final SessionFactoryImplementor factory;
  private final ServerVersionCheck server = new ServerVersionCheck();

  private HibernateFactory(SessionFactoryImplementor factory) {
    this.factory = factory;
  }

  /**
   * Checks the factory.
   *
   * @throws IllegalArgumentException if it is not Hibernate's or its database is not PostgreSQL 14
   *     or newer
   * @throws IllegalStateException if it is closed
   */
  public static HibernateFactory of(EntityManagerFactory factory) {
    Objects.requireNonNull(factory, "An EntityManagerFactory of Hibernate is needed, not null");
    if (!factory.isOpen()) {
      throw new IllegalStateException(
          "An open EntityManagerFactory is needed; this one is closed: " + factory);
    }
    SessionFactoryImplementor hibernate = BehindProxy.factory(factory);
    SupportedHibernate.check();
    HibernateFactory checked = new HibernateFactory(hibernate);
    checked.server.checkDialect(hibernate);
    return checked;
  }

  /** The factory's settings. */
  public Map<String, Object> properties() {
    return factory.getProperties();
  }

  /** What identifies the factory: the same for every Rowlock of it. */
  public Object identity() {
    return factory;
  }

  /** Whether its transactions are those of JTA. */
  public boolean isJta() {
    return factory.getServiceRegistry().requireService(TransactionCoordinatorBuilder.class).isJta();
  }

  /**
   * The transactions of JTA.
   *
   * @throws IllegalStateException if those of the factory are not
   */
  public JtaTransactions jta() {
    if (!isJta()) {
      throw new IllegalStateException(
          "The transactions of persistence unit '"
              + factory.getName()
              + "' are its own (RESOURCE_LOCAL), and a container's are those of JTA: configure the unit with"
              + " transaction-type JTA, or run the unit of work by Rowlock.call");
    }
    return new JtaTransactions(factory.getServiceRegistry().requireService(JtaPlatform.class));
  }

  /**
   * Opens a fresh session.
   *
   * @throws IllegalStateException if the factory is closed
   */
  public HibernateSession open() {
    if (!factory.isOpen()) {
      throw new IllegalStateException(
          "The EntityManagerFactory of this Rowlock is closed: " + factory.getName());
    }
    return new HibernateSession(
        factory.createEntityManager().unwrap(SessionImplementor.class), server);
  }

  /**
   * The session behind an entity manager that somebody else opened.
   *
   * @throws IllegalArgumentException if it is not Hibernate's, or belongs to another factory
   */
  public HibernateSession sessionOf(EntityManager entityManager) {
    Objects.requireNonNull(entityManager, "An EntityManager is needed, not null");
    SessionImplementor session = BehindProxy.session(entityManager);
    if (session.getFactory() != factory) {
      throw new IllegalArgumentException(
          "The EntityManager belongs to another factory ("
              + session.getFactory().getName()
              + ") than this Rowlock ("
              + factory.getName()
              + ")");
    }
    return new HibernateSession(session, server);
  }
}
