package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.TransactionFate;
import io.rowlock.internal.postgres.TransactionMark;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.Map;
import java.util.Objects;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.transaction.jta.platform.spi.JtaPlatform;
import org.hibernate.resource.transaction.spi.TransactionCoordinatorBuilder;
import org.hibernate.service.spi.ServiceRegistryImplementor;
import org.jspecify.annotations.Nullable;

/**
 * Hibernate's side of an entity manager factory that was checked to be one Rowlock can work with.
 */
public final class HibernateFactory {

  /** The setting that declares the order in which rows of several entities are locked. */
  public static final String LOCK_ORDER = "rowlock.lock-order";

  private final SessionFactoryImplementor factory;
  private final ServerVersionCheck server;

  private HibernateFactory(SessionFactoryImplementor factory, ServerVersionCheck server) {
    this.factory = factory;
    this.server = server;
  }

  /**
   * Checks the factory.
   *
   * @throws IllegalArgumentException if it is not Hibernate's, its database is not PostgreSQL 14 or
   *     newer, or the declared order of its entities is wrong
   * @throws IllegalStateException if it is closed
   */
  public static HibernateFactory of(EntityManagerFactory factory) {
    Objects.requireNonNull(factory, "An EntityManagerFactory of Hibernate is needed, not null");
    if (!factory.isOpen()) {
      throw new IllegalStateException(
          "An open EntityManagerFactory is needed; this one is closed: " + factory);
    }
    SessionFactoryImplementor hibernate = Sessions.factoryBehind(factory);
    SupportedHibernate.check();
    ServerVersionCheck server = new ServerVersionCheck();
    server.checkDialect(hibernate);
    TableOrder.of(hibernate);
    FlushOrder.report(hibernate);
    PoolCheck.report(hibernate);
    ReuseListener.register(hibernate);
    return new HibernateFactory(hibernate, server);
  }

  /** The factory's settings. */
  public Map<String, Object> properties() {
    return factory.getProperties();
  }

  /** What identifies the factory: the same for every Rowlock of it. */
  public Object identity() {
    return factory;
  }

  /** Its transactions, if they are those of JTA; null if the entity manager has its own. */
  public @Nullable JtaTransactions jta() {
    ServiceRegistryImplementor services = factory.getServiceRegistry();
    return services.requireService(TransactionCoordinatorBuilder.class).isJta()
        ? new JtaTransactions(services.requireService(JtaPlatform.class))
        : null;
  }

  /** A guard for one unit of work. */
  public ReuseGuard reuseGuard() {
    return new ReuseGuard();
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

  /** Asks, on a connection of its own, what has become of a transaction with an id. */
  public TransactionFate fateOf(TransactionMark mark) {
    HibernateSession session = open();
    try {
      TransactionFate fate = session.fateOf(mark);
      session.close();
      return fate;
    } catch (Throwable e) {
      session.close(e);
      throw e;
    }
  }

  /**
   * The session behind an entity manager that somebody else opened.
   *
   * @throws IllegalArgumentException if it is not Hibernate's, or belongs to another factory
   */
  public HibernateSession sessionOf(EntityManager entityManager) {
    SessionImplementor session = Sessions.behind(entityManager);
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
