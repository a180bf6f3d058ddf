package io.rowlock.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.Rowlock;
import io.rowlock.SwallowedFailureException;
import io.rowlock.cdi.Accounts.Overdrawn;
import io.rowlock.testing.Rival;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceException;
import jakarta.transaction.TransactionRequiredException;
import jakarta.transaction.TransactionalException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** A6, A8 (C09): who joins whom, and who is run again. */
class CdiJoinIT extends CdiTest {

  @Test
  void A6_a_nested_unit_joins_and_only_the_outer_one_is_run_again() throws Exception {
    List<String> calls = new ArrayList<>();
    List<Future<Integer>> waiting = new ArrayList<>();
    Rival rival = db.rival();

    accounts()
        .unit(
            outer -> {
              if (!waiting.isEmpty()) {
                Together.get(waiting.get(0)); // or this attempt could take the row before the rival
              }
              calls.add("outer " + Sql.transactionId(outer));
              outer.find(Account.class, 1L).balance++;
              outer.flush();
              return accounts()
                  .unit(
                      inner -> {
                        calls.add("inner " + Sql.transactionId(inner));
                        if (waiting.isEmpty()) {
                          waiting.add(Deadlock.prepare(db, rival, Sql.pid(inner), 2, 1));
                        }
                        inner.find(Account.class, 2L).balance++;
                        inner.flush();
                        return null;
                      });
            });

    Together.get(waiting.get(0));
    assertThat(calls).hasSize(4);
    assertThat(calls.get(0).substring(6)).isEqualTo(calls.get(1).substring(6));
    assertThat(calls.get(2).substring(6)).isEqualTo(calls.get(3).substring(6));
    assertThat(calls.get(2)).isNotEqualTo(calls.get(0));
    assertThat(balance(1)).isEqualTo(111);
    assertThat(balance(2)).isEqualTo(111);
    assertThat(events())
        .containsExactly(
            "attempt 1", "failed 1 DEADLOCK", "rerun", "attempt 2", "commit 2", "committed 2");
  }

  @Test
  void A6_a_failure_of_a_nested_unit_is_followed_by_a_rerun_though_the_outer_one_caught_it()
      throws Exception {
    List<Integer> attempts = new ArrayList<>();

    accounts()
        .unit(
            outer -> {
              attempts.add(1);
              outer.find(Account.class, 1L).balance++;
              if (attempts.size() == 1) {
                Throwable caught =
                    catchThrowable(() -> accounts().unit(inner -> raise(inner, "40001")));
                assertThat(caught).isInstanceOf(PersistenceException.class);
              }
              return null;
            });

    assertThat(attempts).hasSize(2);
    assertThat(balance(1)).isEqualTo(11);
  }

  @Test
  void A6_a_failure_of_a_nested_unit_that_the_outer_one_caught_is_reported() throws Exception {
    IllegalArgumentException failure = new IllegalArgumentException("of the business");

    assertThatThrownBy(
            () ->
                accounts()
                    .unit(
                        outer -> {
                          outer.find(Account.class, 1L).balance++;
                          assertThat(
                                  catchThrowable(
                                      () ->
                                          accounts()
                                              .unit(
                                                  inner -> {
                                                    throw failure;
                                                  })))
                              .isSameAs(failure);
                          return null;
                        }))
        .isInstanceOf(SwallowedFailureException.class)
        .hasCause(failure);
    assertThat(balance(1)).isEqualTo(10);
  }

  @Test
  void A6_an_exception_of_a_nested_unit_that_may_commit_leaves_the_outer_one_alone()
      throws Exception {
    accounts()
        .unit(
            outer -> {
              outer.find(Account.class, 1L).balance++;
              assertThat(
                      catchThrowable(
                          () ->
                              accounts()
                                  .unit(
                                      inner -> {
                                        throw new Overdrawn();
                                      })))
                  .isInstanceOf(Overdrawn.class);
              return null;
            });

    assertThat(balance(1)).isEqualTo(11);
  }

  @Test
  void A6_a_transaction_that_something_else_began_is_never_run_again() {
    List<Integer> calls = new ArrayList<>();

    Throwable thrown =
        catchThrowable(
            () ->
                accounts()
                    .withoutRetry(
                        outer ->
                            accounts()
                                .unit(
                                    inner -> {
                                      calls.add(1);
                                      return raise(inner, "40001");
                                    })));

    assertThat(thrown).isInstanceOf(PersistenceException.class);
    assertThat(calls).hasSize(1);
    assertThat(events()).isEmpty();
  }

  @Test
  void A6_a_failure_swallowed_in_a_transaction_that_something_else_began_is_reported()
      throws Exception {
    assertThatThrownBy(
            () ->
                accounts()
                    .withoutRetry(
                        outer -> {
                          outer.find(Account.class, 1L).balance++;
                          return accounts()
                              .unit(
                                  inner ->
                                      catchThrowable(() -> raise(inner, "23514")).getMessage());
                        }))
        .isInstanceOf(SwallowedFailureException.class);
    assertThat(balance(1)).isEqualTo(10);
  }

  @Test
  void A6_a_transaction_that_was_marked_for_rollback_before_is_not_held_against_a_unit_in_it()
      throws Exception {
    accounts()
        .withoutRetry(
            outer -> {
              outer.find(Account.class, 1L);
              JtaUnit.transactionManager().setRollbackOnly();
              return accounts().unit(inner -> inner.find(Account.class, 1L).balance);
            });
  }

  @Test
  void A6_a_unit_that_asks_for_its_own_transaction_is_run_again_alone() throws Exception {
    List<Integer> outerCalls = new ArrayList<>();
    List<Integer> innerCalls = new ArrayList<>();

    accounts()
        .unit(
            outer -> {
              outerCalls.add(1);
              outer.find(Account.class, 1L).balance++;
              outer.flush();
              return accounts()
                  .requiresNew(
                      inner -> {
                        innerCalls.add(1);
                        inner.find(Account.class, 2L).balance++;
                        inner.flush();
                        return innerCalls.size() == 1 ? raise(inner, "40001") : null;
                      });
            });

    assertThat(outerCalls).hasSize(1);
    assertThat(innerCalls).hasSize(2);
    assertThat(balance(1)).isEqualTo(11);
    assertThat(balance(2)).isEqualTo(11);
  }

  @Test
  void A8_a_joined_unit_cannot_ask_for_another_isolation_level() {
    assertThatThrownBy(
            () -> accounts().unit(outer -> accounts().serializable(inner -> "never called")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'Accounts.serializable' asks for SERIALIZABLE")
        .hasMessageContaining("'Accounts.unit'")
        .hasMessageContaining("READ COMMITTED");
  }

  @Test
  void A8_a_joined_unit_can_ask_for_the_isolation_level_that_there_is() throws Exception {
    assertThat(
            accounts().<String>serializable(outer -> accounts().serializable(CdiJoinIT::isolation)))
        .isEqualTo("serializable");
    assertThat(accounts().<String>serializable(outer -> accounts().unit(CdiJoinIT::isolation)))
        .isEqualTo("serializable");
  }

  @Test
  void A8_a_unit_in_a_transaction_begun_elsewhere_cannot_ask_for_another_isolation_level() {
    assertThatThrownBy(
            () ->
                accounts().withoutRetry(outer -> accounts().serializable(inner -> "never called")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("SERIALIZABLE")
        .hasMessageContaining("READ COMMITTED");
  }

  @Test
  void A6_a_call_in_a_declared_unit_joins_it() throws Exception {
    Rowlock rowlock = container.bean(Rowlock.class);
    List<Integer> attempts = new ArrayList<>();

    accounts()
        .unit(
            em -> {
              attempts.add(1);
              String transaction = Sql.transactionId(em);
              return rowlock.call(
                  unit -> {
                    assertThat(Sql.transactionId(unit.entityManager())).isEqualTo(transaction);
                    assertThat(unit.info().name()).isEqualTo("Accounts.unit");
                    unit.entityManager().find(Account.class, 1L).balance++;
                    return attempts.size() == 1 ? raise(unit.entityManager(), "40001") : null;
                  });
            });

    assertThat(attempts).hasSize(2);
    assertThat(balance(1)).isEqualTo(11);
  }

  @Test
  void A6_a_declared_unit_in_a_call_joins_it() throws Exception {
    Rowlock rowlock = container.bean(Rowlock.class);
    List<Integer> attempts = new ArrayList<>();

    rowlock.run(
        unit -> {
          attempts.add(1);
          accounts()
              .unit(
                  em -> {
                    em.find(Account.class, 1L).balance++;
                    em.flush();
                    return attempts.size() == 1 ? raise(em, "40001") : null;
                  });
        });

    assertThat(attempts).hasSize(2);
    assertThat(balance(1)).isEqualTo(11);
  }

  @Test
  void A6_a_call_in_a_transaction_of_its_own_does_not_join_the_suspended_unit() throws Exception {
    Rowlock rowlock = container.bean(Rowlock.class);

    accounts()
        .unit(
            outer -> {
              String suspended = Sql.transactionId(outer);
              return accounts()
                  .requiresNewWithoutRetry(
                      inner ->
                          rowlock.call(
                              unit -> {
                                assertThat(Sql.transactionId(unit.entityManager()))
                                    .isEqualTo(Sql.transactionId(inner))
                                    .isNotEqualTo(suspended);
                                return null;
                              }));
            });
  }

  @Test
  void operations_on_the_injected_entity_manager_belong_to_the_unit() throws Exception {
    Rowlock rowlock = container.bean(Rowlock.class);

    Account locked =
        accounts()
            .unit(
                em -> {
                  Account account = rowlock.on(em).lock(Account.class, List.of(1L)).get(1L);
                  assertThat(em.contains(account)).isTrue();
                  assertThat(rowlock.on(em).info().name()).isEqualTo("Accounts.unit");
                  account.balance++;
                  return account;
                });

    assertThat(locked.balance).isEqualTo(11);
    assertThat(balance(1)).isEqualTo(11);
  }

  @Test
  void without_a_transaction_the_method_is_not_called_and_the_remedy_is_named() {
    assertThatThrownBy(() -> accounts().withoutTransaction(em -> "never called"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'Accounts.withoutTransaction'")
        .hasMessageContaining("@Transactional");
    assertThatThrownBy(() -> accounts().supports(em -> "never called"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("@Transactional");
    assertThatThrownBy(() -> accounts().mandatory(em -> "never called"))
        .isInstanceOf(TransactionalException.class)
        .hasCauseInstanceOf(TransactionRequiredException.class);
  }

  private static String isolation(EntityManager em) {
    return Sql.setting(em, "transaction_isolation");
  }

  private static Object raise(EntityManager em, String sqlState) {
    Sql.raise(em, sqlState);
    return null;
  }
}
