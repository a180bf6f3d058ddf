package io.rowlock.cdi;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.TransactionScoped;

/** What an application's producers do: one factory, and an entity manager for each transaction. */
@ApplicationScoped
class Persistence {

  static EntityManagerFactory factory;

  @Produces
  @ApplicationScoped
  EntityManagerFactory factory() {
    return factory;
  }

  @Produces
  @TransactionScoped
  EntityManager entityManager(EntityManagerFactory factory) {
    return factory.createEntityManager();
  }

  void close(@Disposes EntityManager entityManager) {
    entityManager.close();
  }
}
