package io.rowlock.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.TransactionTimeoutException;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Await;
import io.rowlock.testing.Rival;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A3, A4 (C41): failures that the transaction manager has in hand before Rowlock has. */
class CdiCommitFailureIT extends CdiTest {

  final AtomicInteger calls = new AtomicInteger();

  @BeforeEach
  void deferred() throws Exception {
    calls.set(0);
    db.execute(
        "create table if not exists late (id bigint,"
            + " constraint late_key unique (id) deferrable initially deferred)",
        "truncate late");
  }

  @Test
  void A3_a_deferred_constraint_violated_at_commit_keeps_its_state_and_name() throws Exception {
    Throwable thrown = catchThrowable(() -> accounts().unit(this::violateLater));

    assertThat(FailureClassifier.classify(thrown))
        .satisfies(
            failure -> {
              assertThat(failure.kind()).isEqualTo(FailureKind.UNIQUE_VIOLATION);
              assertThat(failure.sqlState()).isEqualTo("23505");
              assertThat(failure.constraint()).isEqualTo("late_key");
            });
    assertThat(events()).containsExactly("attempt 1", "commit 1", "failed 1 UNIQUE_VIOLATION");
    assertThat(calls).hasValue(1);
    assertThat(balance(1)).isEqualTo(10);
  }

  @Test
  void A3_a_deferred_constraint_that_was_opted_in_is_followed_by_a_rerun() throws Exception {
    accounts().againAfterLateDuplicate(this::violateLater);

    assertThat(calls).hasValue(2);
    assertThat(balance(1)).isEqualTo(11);
  }

  /** The second call violates nothing. */
  private Object violateLater(EntityManager em) {
    em.find(Account.class, 1L).balance++;
    if (calls.incrementAndGet() == 1) {
      em.createNativeQuery("insert into late values (1), (1)").executeUpdate();
    }
    return null;
  }

  @Test
  void A3_write_skew_that_only_the_commit_reports_is_followed_by_a_rerun() throws Exception {
    accounts()
        .serializable(
            em -> {
              em.createNativeQuery("select sum(balance) from account").getSingleResult();
              em.find(Account.class, 1L).balance++;
              em.flush();
              if (calls.incrementAndGet() == 1) {
                Rival rival = db.rival();
                rival.execute("set transaction isolation level serializable");
                rival.one("select sum(balance) from account");
                rival.execute("update account set balance = balance + 100 where id = 2");
                rival.commit();
              }
              return null;
            });

    assertThat(events())
        .containsExactly(
            "attempt 1",
            "commit 1",
            "failed 1 SERIALIZATION_FAILURE",
            "rerun",
            "attempt 2",
            "commit 2",
            "committed 2");
    assertThat(balance(1)).isEqualTo(11);
  }

  @Test
  void A4_an_exception_of_the_business_is_not_hidden_by_a_timeout() throws Exception {
    TransactionManager manager = JtaUnit.transactionManager();
    Accounts.Overdrawn business = new Accounts.Overdrawn();
    manager.setTransactionTimeout(1);
    try {
      Throwable thrown =
          catchThrowable(
              () ->
                  accounts()
                      .unit(
                          em -> {
                            em.find(Account.class, 2L).balance = 0;
                            em.flush();
                            awaitTimeout(manager);
                            throw business;
                          }));
      assertThat(thrown).isSameAs(business);
      assertThat(thrown.getSuppressed())
          .hasAtLeastOneElementOfType(TransactionTimeoutException.class);
    } finally {
      manager.setTransactionTimeout(0);
    }
    assertThat(balance(2)).isEqualTo(10);
  }

  @Test
  void A4_what_a_timeout_makes_fail_is_the_cause_of_what_is_told() throws Exception {
    TransactionManager manager = JtaUnit.transactionManager();
    manager.setTransactionTimeout(1);
    try {
      Throwable thrown =
          catchThrowable(
              () ->
                  accounts()
                      .committingExceptions(
                          em -> {
                            em.find(Account.class, 2L).balance = 0;
                            em.flush();
                            awaitTimeout(manager);
                            em.flush();
                            return null;
                          }));
      assertThat(thrown)
          .isInstanceOf(TransactionTimeoutException.class)
          .hasMessageContaining("'Accounts.committingExceptions' on attempt 1")
          .hasCauseInstanceOf(RuntimeException.class);
    } finally {
      manager.setTransactionTimeout(0);
    }
    assertThat(events()).containsExactly("attempt 1", "failed 1 OTHER");
    assertThat(balance(2)).isEqualTo(10);
  }

  private static void awaitTimeout(TransactionManager manager) {
    Await.until(
        "the transaction manager has rolled back",
        () -> manager.getStatus() == Status.STATUS_ROLLEDBACK);
  }
}
