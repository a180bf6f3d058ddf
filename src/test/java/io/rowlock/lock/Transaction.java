package io.rowlock.lock;

import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;

/**
 * A plain transaction of Jakarta Persistence, rolled back whatever is thrown, a failed assertion
 * too.
 */
final class Transaction {

  private Transaction() {}

  interface Work<T> {
    T with(EntityManager em) throws Exception;
  }

  interface Action {
    void with(EntityManager em) throws Exception;
  }

  static <T> T call(TestUnit unit, Work<T> work) throws Exception {
    try (EntityManager em = unit.factory().createEntityManager()) {
      em.getTransaction().begin();
      boolean done = false;
      try {
        T result = work.with(em);
        done = true;
        return result;
      } finally {
        if (done && !em.getTransaction().getRollbackOnly()) {
          em.getTransaction().commit();
        } else {
          em.getTransaction().rollback();
        }
      }
    }
  }

  static void run(TestUnit unit, Action action) throws Exception {
    call(
        unit,
        em -> {
          action.with(em);
          return null;
        });
  }
}
