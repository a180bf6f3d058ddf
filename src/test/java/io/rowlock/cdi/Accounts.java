package io.rowlock.cdi;

import io.rowlock.IsolationLevel;
import io.rowlock.MissingRowsException;
import io.rowlock.retry.FailureKind;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

/** Units of work in the ways that they can be asked for. */
@ApplicationScoped
public class Accounts {

  /** A business exception, which commits by the rules of {@code @Transactional}. */
  public static class Overdrawn extends Exception {
    private static final long serialVersionUID = 1L;
  }

  @Inject EntityManager entityManager;
  @Inject Accounts self;

  @RetryTransaction
  @Transactional
  public <T> T unit(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction(isolation = IsolationLevel.REPEATABLE_READ)
  @Transactional
  public <T> T repeatableRead(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction(isolation = IsolationLevel.SERIALIZABLE)
  @Transactional
  public <T> T serializable(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction(name = "three attempts", attempts = 3)
  @Transactional
  public <T> T threeAttempts(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction(deadline = "500ms")
  @Transactional
  public <T> T halfASecond(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction(alsoAfterViolationOf = "account_pkey")
  @Transactional
  public <T> T againAfterDuplicate(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction(alsoAfterViolationOf = "late_key")
  @Transactional
  public <T> T againAfterLateDuplicate(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction(alsoAfter = FailureKind.LOCK_NOT_AVAILABLE)
  @Transactional
  public <T> T againAfterLockTimeout(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction
  @Transactional(dontRollbackOn = RuntimeException.class)
  public <T> T committingExceptions(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction
  @Transactional(rollbackOn = Overdrawn.class)
  public <T> T rollingBackOverdrafts(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction
  @Transactional(dontRollbackOn = MissingRowsException.class)
  public <T> T committingMissingRows(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction(attempts = 2)
  @Transactional(TxType.REQUIRES_NEW)
  public <T> T requiresNewTwice(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction
  @Transactional(TxType.REQUIRES_NEW)
  public <T> T requiresNew(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @Transactional(TxType.REQUIRES_NEW)
  public <T> T requiresNewWithoutRetry(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @Transactional
  public <T> T withoutRetry(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction
  public <T> T withoutTransaction(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction
  @Transactional(TxType.SUPPORTS)
  public <T> T supports(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  @RetryTransaction
  @Transactional(TxType.MANDATORY)
  public <T> T mandatory(Work<T> work) throws Exception {
    return work.in(entityManager);
  }

  /** Calls its own method without the container. */
  public <T> T callsItself(Work<T> work) throws Exception {
    return unit(work);
  }

  /** A unit that calls its own method without the container. */
  @RetryTransaction
  @Transactional
  public <T> T unitCallsItself(Work<T> work) throws Exception {
    return requiresNew(work);
  }

  /** A unit that calls its own methods by way of the container. */
  @RetryTransaction
  @Transactional
  public <T> T unitCallsThroughContainer(Work<T> joined, Work<T> ownTransaction) throws Exception {
    joinedTransaction(joined);
    return self.requiresNew(ownTransaction);
  }

  private <T> void joinedTransaction(Work<T> joined) throws Exception {
    self.unit(joined);
  }
}
