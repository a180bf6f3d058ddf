package io.rowlock.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.SwallowedFailureException;
import io.rowlock.TransactionTimeoutException;
import io.rowlock.UnitMisuseException;
import io.rowlock.cdi.Accounts.Overdrawn;
import io.rowlock.testing.Await;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.Session;
import org.hibernate.query.Query;
import org.junit.jupiter.api.Test;

/**
 * A2, A11 (C01, C11, C41) for a unit of work by annotation: what returns has committed, whatever
 * the function, Hibernate, the transaction manager and the driver keep to themselves.
 */
class CdiSwallowedFailureIT extends CdiTest {

  @Test
  void A2_a_failure_that_was_swallowed_is_reported_with_the_failure() throws Exception {
    SwallowedFailureException thrown =
        catchThrowableOfType(
            SwallowedFailureException.class,
            () ->
                accounts()
                    .unit(
                        em -> {
                          em.find(Account.class, 2L).balance = 0;
                          em.flush();
                          insertTwice(em);
                          return null;
                        }));

    assertThat(thrown).hasRootCauseInstanceOf(SQLException.class);
    assertThat(thrown).hasMessageContaining("account_pkey");
    assertThat(events()).containsExactly("attempt 1", "failed 1 UNIQUE_VIOLATION");
    assertThat(balance(2)).isEqualTo(10);
  }

  @Test
  void A2_a_failure_that_was_swallowed_in_plain_JDBC_is_reported_with_the_failure()
      throws Exception {
    SwallowedFailureException thrown =
        catchThrowableOfType(
            SwallowedFailureException.class,
            () ->
                accounts()
                    .unit(
                        em -> {
                          em.find(Account.class, 2L).balance = 0;
                          em.flush();
                          session(em).doWork(CdiSwallowedFailureIT::insertTwice);
                          return null;
                        }));

    assertThat(thrown).hasMessageContaining("account_pkey");
    assertThat(balance(2)).isEqualTo(10);
  }

  @Test
  void A2_a_deadlock_that_was_swallowed_is_followed_by_a_rerun() throws Exception {
    List<Integer> attempts = new ArrayList<>();

    accounts()
        .unit(
            em -> {
              attempts.add(1);
              em.find(Account.class, 2L).balance++;
              em.flush();
              if (attempts.size() == 1) {
                swallow(() -> Sql.raise(em, "40P01"));
              }
              return null;
            });

    assertThat(attempts).hasSize(2);
    assertThat(balance(2)).isEqualTo(11);
  }

  @Test
  void A2_an_echo_of_a_deadlock_that_was_swallowed_is_followed_by_a_rerun() throws Exception {
    List<Integer> attempts = new ArrayList<>();

    accounts()
        .unit(
            em -> {
              attempts.add(1);
              if (attempts.size() == 1) {
                swallow(() -> Sql.raise(em, "40P01"));
              }
              em.createQuery("select a from account a", Account.class).getResultList();
              em.find(Account.class, 2L).balance++;
              return null;
            });

    assertThat(attempts).hasSize(2);
    assertThat(balance(2)).isEqualTo(11);
  }

  @Test
  void A2_a_failure_that_was_swallowed_while_flushing_at_the_end_is_reported() throws Exception {
    SwallowedFailureException thrown =
        catchThrowableOfType(
            SwallowedFailureException.class,
            () ->
                accounts()
                    .unit(
                        em -> {
                          em.find(Account.class, 2L).balance = 0;
                          JtaUnit.transactionManager()
                              .getTransaction()
                              .registerSynchronization(
                                  new BeforeCommit(
                                      () ->
                                          session(em).doWork(CdiSwallowedFailureIT::insertTwice)));
                          return null;
                        }));

    assertThat(thrown).hasMessageContaining("account_pkey");
    assertThat(balance(2)).isEqualTo(10);
  }

  @Test
  void A2_a_transaction_that_the_function_marked_for_rollback_is_reported() throws Exception {
    assertThatThrownBy(
            () ->
                accounts()
                    .unit(
                        em -> {
                          em.find(Account.class, 2L).balance = 0;
                          JtaUnit.transactionManager().setRollbackOnly();
                          return null;
                        }))
        .isInstanceOf(SwallowedFailureException.class)
        .hasMessageContaining("marked for rollback");
    assertThat(balance(2)).isEqualTo(10);
  }

  @Test
  void A2_a_checked_exception_does_not_pass_for_a_commit_after_a_failure() throws Exception {
    Overdrawn overdrawn = new Overdrawn();

    SwallowedFailureException thrown =
        catchThrowableOfType(
            SwallowedFailureException.class,
            () ->
                accounts()
                    .unit(
                        em -> {
                          session(em).doWork(CdiSwallowedFailureIT::insertTwice);
                          throw overdrawn;
                        }));

    assertThat(thrown).hasMessageContaining("account_pkey");
    assertThat(thrown.getSuppressed()).contains(overdrawn);
  }

  @Test
  void A2_a_checked_exception_after_a_deadlock_is_followed_by_a_rerun() {
    List<Integer> attempts = new ArrayList<>();
    Overdrawn overdrawn = new Overdrawn();

    Throwable thrown =
        catchThrowable(
            () ->
                accounts()
                    .unit(
                        em -> {
                          attempts.add(1);
                          if (attempts.size() == 1) {
                            session(em)
                                .doWork(
                                    connection ->
                                        swallow(() -> execute(connection, RAISE_DEADLOCK)));
                          }
                          throw overdrawn;
                        }));

    assertThat(thrown).isSameAs(overdrawn);
    assertThat(events())
        .containsExactly(
            "attempt 1",
            "commit 1",
            "failed 1 DEADLOCK",
            "rerun",
            "attempt 2",
            "commit 2",
            "committed 2");
  }

  @Test
  void A2_an_exception_that_is_not_to_roll_back_does_not_pass_for_a_commit_after_a_failure()
      throws Exception {
    assertThatThrownBy(
            () ->
                accounts()
                    .committingExceptions(
                        em -> {
                          session(em).doWork(CdiSwallowedFailureIT::insertTwice);
                          throw new IllegalArgumentException("of the business");
                        }))
        .isInstanceOf(SwallowedFailureException.class);

    assertThatThrownBy(
            () ->
                accounts()
                    .committingExceptions(
                        em -> {
                          session(em).doWork(CdiSwallowedFailureIT::insertTwice);
                          return null;
                        }))
        .isInstanceOf(SwallowedFailureException.class);
  }

  @Test
  void A11_a_function_that_commits_is_prevented_and_told() throws Exception {
    assertThatThrownBy(
            () ->
                accounts()
                    .unit(
                        em -> {
                          em.find(Account.class, 2L).balance = 0;
                          JtaUnit.transactionManager().commit();
                          return null;
                        }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("commit its transaction itself");
    assertThat(balance(2)).isEqualTo(10);
  }

  @Test
  void A11_a_function_that_rolls_back_or_suspends_is_told() throws Exception {
    assertThatThrownBy(
            () ->
                accounts()
                    .unit(
                        em -> {
                          JtaUnit.transactionManager().rollback();
                          return null;
                        }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("ended its transaction itself");
  }

  @Test
  void A11_an_instance_that_a_failed_attempt_has_persisted_is_refused_in_a_later_one()
      throws Exception {
    Account captured = new Account(3, 0);
    List<Integer> attempts = new ArrayList<>();

    assertThatThrownBy(
            () ->
                accounts()
                    .unit(
                        em -> {
                          attempts.add(1);
                          em.persist(captured);
                          Sql.raise(em, "40001");
                          return null;
                        }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("Account")
        .hasMessageContaining("attempt 1 of")
        .hasMessageContaining("persist");
    assertThat(attempts).hasSize(2);
  }

  @Test
  void A11_a_change_of_an_instance_that_a_failed_attempt_has_loaded_is_not_taken_for_stored()
      throws Exception {
    List<Account> captured = new ArrayList<>();

    assertThatThrownBy(
            () ->
                accounts()
                    .committingExceptions(
                        em -> {
                          if (captured.isEmpty()) {
                            captured.add(em.find(Account.class, 1L));
                            Sql.raise(em, "40001");
                          }
                          captured.get(0).balance++;
                          em.find(Account.class, 2L).balance++;
                          return null;
                        }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("'balance' was changed");
    assertThat(balance(1)).isEqualTo(10);
    assertThat(balance(2)).isEqualTo(10);
  }

  @Test
  void A4_a_transaction_that_its_manager_has_given_up_is_not_continued() throws Exception {
    TransactionManager manager = JtaUnit.transactionManager();
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
                            Await.until(
                                "the transaction manager has rolled back",
                                () -> manager.getStatus() == Status.STATUS_ROLLEDBACK);
                            swallow(() -> em.persist(new Account(3, 0)));
                            swallow(em::flush);
                            return null;
                          }));

      assertThat(thrown)
          .isInstanceOf(TransactionTimeoutException.class)
          .hasMessageContaining("setTransactionTimeout");
    } finally {
      manager.setTransactionTimeout(0);
    }
    assertThat(events()).containsExactly("attempt 1", "failed 1 OTHER");
    assertThat(balance(2)).isEqualTo(10);
    assertThat(count(3)).isZero();
  }

  private static final String RAISE_DEADLOCK =
      "do $$ begin raise exception using errcode = '40P01'; end $$";

  private record BeforeCommit(ThrowingRunnable work)
      implements jakarta.transaction.Synchronization {
    @Override
    public void beforeCompletion() {
      try {
        work.run();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void afterCompletion(int status) {}
  }

  private interface ThrowingRunnable {
    void run() throws Exception;
  }

  private static void swallow(ThrowingRunnable work) {
    try {
      work.run();
    } catch (Exception e) {
      // what applications do
    }
  }

  private static void insertTwice(EntityManager em) {
    swallow(() -> em.createNativeQuery("insert into account values (1, 0)").executeUpdate());
  }

  private static void insertTwice(Connection connection) {
    swallow(() -> execute(connection, "insert into account values (1, 0)"));
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The session itself, which Weld's proxy does not unwrap. */
  private static Session session(EntityManager em) {
    return em.createNativeQuery("select 1").unwrap(Query.class).getSession() instanceof Session s
        ? s
        : null;
  }
}
