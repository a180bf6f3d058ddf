package io.rowlock.cdi;

import jakarta.persistence.EntityManager;

/** What a test has a bean's method do. */
@FunctionalInterface
public interface Work<T> {

  /** Does it, with the entity manager that was injected into the bean. */
  T in(EntityManager entityManager) throws Exception;

  /** A bean that does a test's work in a transactional method. */
  interface Worker {
    /** Does it. */
    <T> T call(Work<T> work) throws Exception;
  }
}
