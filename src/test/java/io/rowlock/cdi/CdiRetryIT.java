package io.rowlock.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.CommitOutcomeUnknownException;
import io.rowlock.RetriesExhaustedException;
import io.rowlock.UnitInterruptedException;
import io.rowlock.cdi.Accounts.Overdrawn;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Rival;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** A1, A3, A4, A5, A8, A9 for a unit of work by annotation. */
class CdiRetryIT extends CdiTest {

  @Test
  void A1_each_attempt_has_a_fresh_persistence_context_and_transaction() throws Exception {
    Set<String> transactions = new HashSet<>();
    List<Account> seen = new ArrayList<>();

    accounts()
        .unit(
            em -> {
              transactions.add(Sql.transactionId(em));
              Account account = em.find(Account.class, 1L);
              seen.add(account);
              account.balance++;
              if (seen.size() < 3) {
                em.persist(new Account(100 + seen.size(), 0));
                em.flush();
                Sql.raise(em, "40001");
              }
              return null;
            });

    assertThat(transactions).hasSize(3);
    assertThat(seen.get(0)).isNotSameAs(seen.get(1));
    assertThat(balance(1)).isEqualTo(11);
    assertThat(count(101) + count(102)).isZero();
  }

  @Test
  void A3_a_failure_of_the_flush_in_commit_is_followed_by_a_rerun() throws Exception {
    Rival rival = db.rival();
    List<Integer> read = new ArrayList<>();

    accounts()
        .repeatableRead(
            em -> {
              Account account = em.find(Account.class, 1L);
              read.add(account.balance);
              if (read.size() == 1) {
                rival.execute("update account set balance = 50 where id = 1");
                rival.commit();
              }
              account.balance++; // flushed by the commit
              return null;
            });

    assertThat(read).containsExactly(10, 50);
    assertThat(balance(1)).isEqualTo(51);
    assertThat(events())
        .containsExactly(
            "attempt 1",
            "failed 1 SERIALIZATION_FAILURE",
            "rerun",
            "attempt 2",
            "commit 2",
            "committed 2");
  }

  @Test
  void A3_another_failure_leaves_at_once_as_it_was_thrown() {
    assertThatThrownBy(
            () ->
                accounts()
                    .unit(
                        em -> {
                          em.createNativeQuery("insert into account values (1, 0)").executeUpdate();
                          return null;
                        }))
        .isInstanceOf(jakarta.persistence.PersistenceException.class)
        .rootCause()
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("account_pkey");
    assertThat(events()).containsExactly("attempt 1", "failed 1 UNIQUE_VIOLATION");
  }

  @Test
  void A3_a_failure_that_was_opted_in_is_followed_by_a_rerun() throws Exception {
    List<Integer> attempts = new ArrayList<>();

    int answer =
        accounts()
            .againAfterDuplicate(
                em -> {
                  attempts.add(1);
                  em.createNativeQuery(
                          "insert into account values (" + attempts.size() + " + 1, 0)")
                      .executeUpdate();
                  return attempts.size();
                });

    assertThat(answer).isEqualTo(2);
    assertThat(count(3)).isEqualTo(1);
  }

  @Test
  void A3_an_exception_that_commits_is_never_followed_by_a_rerun() throws Exception {
    Overdrawn overdrawn = new Overdrawn();
    overdrawn.addSuppressed(new SQLException("as if it were to be run again", "40001"));

    Throwable thrown =
        catchThrowable(
            () ->
                accounts()
                    .unit(
                        em -> {
                          em.find(Account.class, 1L).balance = 0;
                          throw overdrawn;
                        }));

    assertThat(thrown).isSameAs(overdrawn);
    assertThat(events()).containsExactly("attempt 1", "commit 1", "committed 1");
    assertThat(balance(1)).isZero();
  }

  @Test
  void A4_the_deadline_bounds_the_wait_for_a_lock() throws Exception {
    Rival rival = db.rival();
    rival.execute("update account set balance = 0 where id = 1");
    long start = System.nanoTime();

    RetriesExhaustedException exhausted =
        catchThrowableOfType(
            RetriesExhaustedException.class,
            () ->
                accounts()
                    .halfASecond(
                        em -> {
                          em.find(Account.class, 1L).balance = 1;
                          em.flush();
                          return null;
                        }));

    assertThat((System.nanoTime() - start) / 1_000_000).isBetween(400L, 5_000L);
    assertThat(exhausted).hasMessageContaining("deadline");
    assertThat(exhausted.unit()).isEqualTo("Accounts.halfASecond");
  }

  @Test
  void A4_an_interrupt_ends_the_wait_and_no_connection_is_held_meanwhile() {
    List<Long> inUse = new ArrayList<>();
    recorder()
        .beforeRerun(
            unit -> {
              inUse.add(container.unit().inUse());
              Thread.currentThread().interrupt();
            });

    Throwable thrown =
        catchThrowable(
            () ->
                accounts()
                    .unit(
                        em -> {
                          Sql.raise(em, "40P01");
                          return null;
                        }));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(thrown).isInstanceOf(UnitInterruptedException.class);
    assertThat(inUse).containsExactly(0L);
    assertThat(events()).containsExactly("attempt 1", "failed 1 DEADLOCK", "rerun");
  }

  @Test
  void A5_exhaustion_names_the_unit_and_carries_every_failure() {
    RetriesExhaustedException exhausted =
        catchThrowableOfType(
            RetriesExhaustedException.class,
            () ->
                accounts()
                    .threeAttempts(
                        em -> {
                          Sql.raise(em, "40001");
                          return null;
                        }));

    assertThat(exhausted.unit()).isEqualTo("three attempts");
    assertThat(exhausted.attempts()).isEqualTo(3);
    assertThat(exhausted.getSuppressed()).hasSize(2);
    assertThat(exhausted).hasRootCauseInstanceOf(SQLException.class);
  }

  @Test
  void A7_a_connection_lost_before_commit_is_a_plain_failure() throws Exception {
    List<Integer> attempts = new ArrayList<>();

    Throwable thrown =
        catchThrowable(
            () ->
                accounts()
                    .unit(
                        em -> {
                          attempts.add(1);
                          em.find(Account.class, 1L).balance++;
                          em.flush();
                          db.one("select pg_terminate_backend(?, 10000)", Sql.pid(em));
                          return null;
                        }));

    assertThat(thrown).isNotInstanceOf(CommitOutcomeUnknownException.class);
    assertThat(FailureClassifier.classify(thrown).kind()).isEqualTo(FailureKind.CONNECTION_LOST);
    assertThat(attempts).hasSize(1);
  }

  @Test
  void A8_A9_isolation_and_timeouts_end_with_the_transaction() throws Exception {
    List<String> inside = accounts().serializable(em -> settings(em));
    List<String> after = accounts().withoutRetry(em -> settings(em));

    assertThat(inside.get(0)).isEqualTo("serializable");
    assertThat(inside.get(1)).isNotEqualTo("0");
    assertThat(inside.get(2)).isNotEqualTo("0");
    assertThat(inside.get(3)).isEqualTo(after.get(3));
    assertThat(after.subList(0, 3)).containsExactly("read committed", "0", "0");
  }

  @Test
  void A8_read_committed_is_set_whatever_the_default_of_the_server() throws Exception {
    db.execute(
        "do $$ begin execute format('alter role %I set default_transaction_isolation = serializable',"
            + " current_user); end $$");
    try {
      List<String> onNewConnection =
          Together.get(
              Together.start(
                  () -> {
                    container.unit().flush();
                    return accounts().unit(CdiRetryIT::settings);
                  }));
      assertThat(onNewConnection.get(0)).isEqualTo("read committed");
    } finally {
      db.execute(
          "do $$ begin execute format('alter role %I reset default_transaction_isolation',"
              + " current_user); end $$");
      container.unit().flush();
    }
  }

  @Test
  void A9_an_error_rolls_back() throws Exception {
    assertThatThrownBy(
            () ->
                accounts()
                    .unit(
                        em -> {
                          em.find(Account.class, 1L).balance = 0;
                          em.flush();
                          throw new AssertionError("as if memory were short");
                        }))
        .isInstanceOf(AssertionError.class);
    assertThat(balance(1)).isEqualTo(10);
  }

  @Test
  void many_units_on_one_row_lose_nothing() throws Exception {
    Together.run(
        8,
        n -> {
          for (int i = 0; i < 25; i++) {
            accounts()
                .serializable(
                    em -> {
                      em.find(Account.class, 1L).balance++;
                      return null;
                    });
          }
          return null;
        });
    assertThat(balance(1)).isEqualTo(210);
  }

  @Test
  void a_real_deadlock_with_another_writer_is_survived_by_both() throws Exception {
    List<Future<Integer>> waiting = new ArrayList<>();
    Rival rival = db.rival();

    accounts()
        .unit(
            em -> {
              em.find(Account.class, 1L).balance++;
              em.flush();
              if (waiting.isEmpty()) {
                waiting.add(Deadlock.prepare(db, rival, Sql.pid(em), 2, 1));
              }
              em.find(Account.class, 2L).balance++;
              em.flush();
              return null;
            });

    Together.get(waiting.get(0));
    assertThat(balance(1)).isEqualTo(111);
    assertThat(balance(2)).isEqualTo(111);
  }

  private static List<String> settings(EntityManager em) {
    return List.of(
        Sql.setting(em, "transaction_isolation"),
        Sql.setting(em, "lock_timeout"),
        Sql.setting(em, "statement_timeout"),
        String.valueOf(Sql.pid(em)));
  }
}
