package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.ServerTransaction;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.util.Objects;
import org.hibernate.Cache;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.query.Query;
import org.jspecify.annotations.Nullable;

/**
 * Finds the session or factory behind an entity manager or its factory, whatever a container has
 * put around it.
 */
final class Sessions {

  private Sessions() {}

  /**
   * The session.
   *
   * @throws IllegalArgumentException if the entity manager is not Hibernate's
   * @throws IllegalStateException if it is closed
   */
  static SessionImplementor behind(EntityManager entityManager) {
    Objects.requireNonNull(entityManager, "An EntityManager is needed, not null");
    SessionImplementor session = unwrapped(entityManager);
    if (session == null) {
      session = ofQuery(entityManager);
    }
    if (session == null) {
      throw new IllegalArgumentException(
          "An EntityManager of Hibernate ORM is needed; found "
              + entityManager.getClass().getName());
    }
    return session;
  }

  /**
   * The factory.
   *
   * @throws IllegalArgumentException if it is not Hibernate's
   */
  static SessionFactoryImplementor factoryBehind(EntityManagerFactory factory) {
    try {
      return factory.unwrap(SessionFactoryImplementor.class);
    } catch (PersistenceException | ClassCastException | IllegalArgumentException e) {
      SessionFactoryImplementor found = ofCache(factory);
      if (found != null) {
        return found;
      }
      throw new IllegalArgumentException(
          "An EntityManagerFactory of Hibernate ORM is needed; found "
              + factory.getClass().getName(),
          e);
    }
  }

  /** A client proxy of CDI answers itself here too; the cache knows its factory. */
  private static @Nullable SessionFactoryImplementor ofCache(EntityManagerFactory factory) {
    try {
      return factory.getCache() instanceof Cache cache
              && cache.getSessionFactory() instanceof SessionFactoryImplementor found
          ? found
          : null;
    } catch (PersistenceException | ClassCastException e) {
      return null;
    }
  }

  private static @Nullable SessionImplementor unwrapped(EntityManager entityManager) {
    try {
      return entityManager.unwrap(SessionImplementor.class);
    } catch (PersistenceException | ClassCastException | IllegalArgumentException e) {
      return null;
    }
  }

  /**
   * A client proxy of CDI answers itself wherever the session answers itself, and fails to pass for
   * a session. A query, which is only made and not sent, knows the session that made it.
   */
  private static @Nullable SessionImplementor ofQuery(EntityManager entityManager) {
    try {
      Query<?> query = entityManager.createNativeQuery(ServerTransaction.PROBE).unwrap(Query.class);
      return query.getSession() instanceof SessionImplementor session ? session : null;
    } catch (PersistenceException | ClassCastException | IllegalArgumentException e) {
      return null;
    }
  }
}
