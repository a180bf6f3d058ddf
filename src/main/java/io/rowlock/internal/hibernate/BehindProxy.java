package io.rowlock.internal.hibernate;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import org.hibernate.Cache;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.query.Query;

/**
 * Finds Hibernate's own objects, also behind a container's proxy. Weld's proxies answer themselves
 * where the object behind them does, and so fail to unwrap it; they can still be asked for
 * something that knows it.
 */
final class BehindProxy {

  private BehindProxy() {}

  /**
   * The factory.
   *
   * @throws IllegalArgumentException if it is not Hibernate's
   */
  static SessionFactoryImplementor factory(EntityManagerFactory factory) {
    try {
      return factory.unwrap(SessionFactoryImplementor.class);
    } catch (PersistenceException e) {
      throw notHibernates("EntityManagerFactory", factory, e);
    } catch (ClassCastException e) {
      if (factory.getCache() instanceof Cache cache
          && cache.getSessionFactory() instanceof SessionFactoryImplementor found) {
        return found;
      }
      throw notHibernates("EntityManagerFactory", factory, e);
    }
  }

  /**
   * The session.
   *
   * @throws IllegalArgumentException if it is not Hibernate's
   */
  static SessionImplementor session(EntityManager entityManager) {
    try {
      return entityManager.unwrap(SessionImplementor.class);
    } catch (PersistenceException e) {
      throw notHibernates("EntityManager", entityManager, e);
    } catch (ClassCastException e) {
      // never sent: the query only knows its session
      if (entityManager.createNativeQuery("select 1") instanceof Query<?> query
          && query.getSession() instanceof SessionImplementor found) {
        return found;
      }
      throw notHibernates("EntityManager", entityManager, e);
    }
  }

  private static IllegalArgumentException notHibernates(
      String what, Object found, RuntimeException cause) {
    return new IllegalArgumentException(
        "An " + what + " of Hibernate ORM is needed; found " + found.getClass().getName(), cause);
  }
}
