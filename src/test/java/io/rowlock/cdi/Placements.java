package io.rowlock.cdi;

import io.rowlock.IsolationLevel;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Transactional;

/** The two annotations, in every place and order. */
final class Placements {

  private Placements() {}

  static Class<?>[] all() {
    return Placements.class.getDeclaredClasses();
  }

  @ApplicationScoped
  static class MethodRetryFirst implements Work.Worker {
    @Inject EntityManager entityManager;

    @Override
    @RetryTransaction(isolation = IsolationLevel.SERIALIZABLE)
    @Transactional
    public <T> T call(Work<T> work) throws Exception {
      return work.in(entityManager);
    }
  }

  @ApplicationScoped
  static class MethodTransactionalFirst implements Work.Worker {
    @Inject EntityManager entityManager;

    @Override
    @Transactional
    @RetryTransaction(isolation = IsolationLevel.SERIALIZABLE)
    public <T> T call(Work<T> work) throws Exception {
      return work.in(entityManager);
    }
  }

  @ApplicationScoped
  @RetryTransaction(isolation = IsolationLevel.SERIALIZABLE)
  @Transactional
  static class ClassRetryFirst implements Work.Worker {
    @Inject EntityManager entityManager;

    @Override
    public <T> T call(Work<T> work) throws Exception {
      return work.in(entityManager);
    }
  }

  @ApplicationScoped
  @Transactional
  @RetryTransaction(isolation = IsolationLevel.SERIALIZABLE)
  static class ClassTransactionalFirst implements Work.Worker {
    @Inject EntityManager entityManager;

    @Override
    public <T> T call(Work<T> work) throws Exception {
      return work.in(entityManager);
    }
  }

  @ApplicationScoped
  @RetryTransaction(isolation = IsolationLevel.SERIALIZABLE)
  static class RetryOnClass implements Work.Worker {
    @Inject EntityManager entityManager;

    @Override
    @Transactional
    public <T> T call(Work<T> work) throws Exception {
      return work.in(entityManager);
    }
  }

  @ApplicationScoped
  @Transactional
  static class TransactionalOnClass implements Work.Worker {
    @Inject EntityManager entityManager;

    @Override
    @RetryTransaction(isolation = IsolationLevel.SERIALIZABLE)
    public <T> T call(Work<T> work) throws Exception {
      return work.in(entityManager);
    }
  }
}
