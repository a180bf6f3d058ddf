package io.rowlock.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.MissingRowsException;
import io.rowlock.RetriesExhaustedException;
import io.rowlock.Rowlock;
import io.rowlock.SwallowedFailureException;
import io.rowlock.UnitMisuseException;
import io.rowlock.cdi.Accounts.Overdrawn;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A6 (C09, C53): the ways in which a unit's method can be called, and where its transaction is. */
class CdiCallsIT extends CdiTest {

  final AtomicInteger calls = new AtomicInteger();

  @BeforeEach
  void none() {
    calls.set(0);
  }

  @Test
  void A6_a_method_that_needs_a_running_transaction_joins_the_unit_around_it() throws Exception {
    accounts()
        .unit(outer -> accounts().mandatory(inner -> failFirst(inner, Sql.transactionId(outer))));

    assertThat(calls).hasValue(2);
    assertThat(balance(1)).isEqualTo(11);
    assertThat(events()).filteredOn(event -> event.startsWith("attempt")).hasSize(2);
  }

  @Test
  void A6_a_method_that_needs_a_running_transaction_is_never_run_again_in_a_foreign_one() {
    Throwable thrown =
        catchThrowable(
            () ->
                accounts()
                    .withoutRetry(
                        outer ->
                            accounts()
                                .mandatory(inner -> failFirst(inner, Sql.transactionId(outer)))));

    assertThat(thrown).isInstanceOf(jakarta.persistence.PersistenceException.class);
    assertThat(calls).hasValue(1);
  }

  @Test
  void A6_a_method_that_takes_a_transaction_where_there_is_one_joins_it() throws Exception {
    accounts()
        .unit(outer -> accounts().supports(inner -> failFirst(inner, Sql.transactionId(outer))));

    assertThat(calls).hasValue(2);
    assertThat(balance(1)).isEqualTo(11);
  }

  @Test
  void A6_a_unit_of_its_own_that_gives_up_is_not_run_again_by_the_unit_around_it()
      throws Exception {
    AtomicInteger outerCalls = new AtomicInteger();

    assertThatThrownBy(
            () ->
                accounts()
                    .unit(
                        outer -> {
                          outerCalls.incrementAndGet();
                          outer.find(Account.class, 1L).balance++;
                          return accounts()
                              .requiresNewTwice(
                                  inner -> {
                                    calls.incrementAndGet();
                                    Sql.raise(inner, "40001");
                                    return null;
                                  });
                        }))
        .isInstanceOf(RetriesExhaustedException.class);

    assertThat(calls).hasValue(2);
    assertThat(outerCalls).hasValue(1);
    assertThat(balance(1)).isEqualTo(10);
  }

  @Test
  void A6_a_self_call_in_a_unit_is_part_of_it_whatever_its_annotations_say() throws Exception {
    accounts().unitCallsItself(em -> failFirst(em, Sql.transactionId(em)));

    assertThat(calls).hasValue(2);
    assertThat(balance(1)).isEqualTo(11);
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
  void A6_a_self_call_without_a_transaction_is_no_unit_and_the_first_operation_says_so()
      throws Exception {
    Rowlock rowlock = container.bean(Rowlock.class);

    accounts()
        .callsItself(
            injected -> {
              assertThat(JtaUnit.transactionManager().getStatus())
                  .isEqualTo(Status.STATUS_NO_TRANSACTION);
              try (EntityManager em = container.factory().createEntityManager()) {
                assertThatThrownBy(() -> rowlock.on(em))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no active transaction")
                    .hasMessageContaining("calls on itself");
              }
              return null;
            });
    assertThat(events()).isEmpty();
  }

  @Test
  void A6_a_self_call_by_way_of_the_container_is_as_any_other_call() throws Exception {
    List<String> transactions = new ArrayList<>();

    accounts()
        .unitCallsThroughContainer(
            em -> transactions.add(Sql.transactionId(em)),
            em -> {
              transactions.add(Sql.transactionId(em));
              return failFirst(em, Sql.transactionId(em));
            });

    assertThat(transactions).hasSize(3).doesNotHaveDuplicates();
    assertThat(balance(1)).isEqualTo(11);
  }

  @Test
  void A6_an_answer_that_is_not_done_is_refused_where_the_signature_does_not_tell()
      throws Exception {
    assertThatThrownBy(
            () ->
                accounts()
                    .unit(
                        em -> {
                          em.find(Account.class, 1L).balance++;
                          return new CompletableFuture<String>();
                        }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("'Accounts.unit' on attempt 1")
        .hasMessageContaining("CompletableFuture, which is not done");

    assertThat(balance(1)).isEqualTo(10);
  }

  /** It would be committed by the rules of {@code @Transactional}. */
  @Test
  void A6_an_answer_that_is_not_done_is_refused_even_where_exceptions_commit() throws Exception {
    assertThatThrownBy(
            () ->
                accounts()
                    .committingExceptions(
                        em -> {
                          em.find(Account.class, 1L).balance++;
                          return new CompletableFuture<String>();
                        }))
        .isInstanceOf(UnitMisuseException.class);

    assertThat(balance(1)).isEqualTo(10);
  }

  @Test
  void an_exception_that_is_to_roll_back_does_and_leaves_as_it_was_thrown() throws Exception {
    Overdrawn overdrawn = new Overdrawn();

    assertThatThrownBy(
            () ->
                accounts()
                    .rollingBackOverdrafts(
                        em -> {
                          calls.incrementAndGet();
                          em.find(Account.class, 1L).balance++;
                          em.flush();
                          throw overdrawn;
                        }))
        .isSameAs(overdrawn);

    assertThat(calls).hasValue(1);
    assertThat(balance(1)).isEqualTo(10);
  }

  @Test
  void an_exception_that_is_to_roll_back_in_a_joined_method_fails_the_unit_around_it()
      throws Exception {
    assertThatThrownBy(
            () ->
                accounts()
                    .unit(
                        outer -> {
                          outer.find(Account.class, 1L).balance++;
                          return catchThrowable(
                                  () ->
                                      accounts()
                                          .rollingBackOverdrafts(
                                              inner -> {
                                                throw new Overdrawn();
                                              }))
                              .getMessage();
                        }))
        .isInstanceOf(SwallowedFailureException.class)
        .hasCauseInstanceOf(Overdrawn.class);

    assertThat(balance(1)).isEqualTo(10);
  }

  @Test
  void C3_a_missing_row_that_the_method_handles_does_not_poison_the_transaction() throws Exception {
    Rowlock rowlock = container.bean(Rowlock.class);

    accounts()
        .unit(
            em -> {
              em.find(Account.class, 1L).balance++;
              assertThat(missing(rowlock, em).ids()).containsExactly(9L);
              return null;
            });

    assertThat(balance(1)).isEqualTo(11);
  }

  @Test
  void C3_a_missing_row_that_a_joined_method_lets_through_is_handled_by_the_one_around_it()
      throws Exception {
    Rowlock rowlock = container.bean(Rowlock.class);

    accounts()
        .unit(
            outer -> {
              outer.find(Account.class, 1L).balance++;
              assertThatThrownBy(
                      () ->
                          accounts()
                              .committingMissingRows(
                                  em -> rowlock.on(em).lock(Account.class, List.of(1L, 9L))))
                  .isInstanceOf(MissingRowsException.class);
              return null;
            });

    assertThat(balance(1)).isEqualTo(11);
  }

  @Test
  void A1_an_extended_persistence_context_is_cleared_with_each_attempt_that_fails()
      throws Exception {
    List<Account> seen = new ArrayList<>();

    try (EntityManager extended = container.factory().createEntityManager()) {
      Account before = extended.find(Account.class, 1L);
      accounts()
          .unit(
              em -> {
                extended.joinTransaction();
                Account account = extended.find(Account.class, 1L);
                seen.add(account);
                account.balance++;
                extended.flush();
                if (calls.incrementAndGet() == 1) {
                  Sql.raise(extended, "40001");
                }
                return null;
              });
      assertThat(seen.get(0)).isSameAs(before);
      assertThat(seen.get(1)).isNotSameAs(before);
      assertThat(extended.contains(seen.get(1))).isTrue();
    }
    assertThat(balance(1)).isEqualTo(11);
  }

  @Test
  void A11_an_instance_of_an_extended_persistence_context_that_a_rollback_cleared_is_named()
      throws Exception {
    try (EntityManager extended = container.factory().createEntityManager()) {
      Account before = extended.find(Account.class, 1L);
      assertThatThrownBy(
              () ->
                  accounts()
                      .unit(
                          em -> {
                            extended.joinTransaction();
                            before.balance++;
                            extended.flush();
                            if (calls.incrementAndGet() == 1) {
                              Sql.raise(extended, "40001");
                            }
                            return null;
                          }))
          .isInstanceOf(UnitMisuseException.class)
          .hasMessageContaining("Account")
          .hasMessageContaining("attempt 1");
    }
    assertThat(balance(1)).isEqualTo(10);
  }

  private static MissingRowsException missing(Rowlock rowlock, EntityManager em) {
    try {
      rowlock.on(em).lock(Account.class, List.of(1L, 9L));
      throw new IllegalStateException("Nothing is missing");
    } catch (MissingRowsException e) {
      return e;
    }
  }

  /** Adds one in the expected transaction; the first call is aborted by the server. */
  private Object failFirst(EntityManager em, String transaction) {
    em.find(Account.class, 1L).balance++;
    em.flush();
    if (calls.incrementAndGet() == 1) {
      Sql.raise(em, "40001");
    }
    if (!transaction.equals(Sql.transactionId(em))) {
      throw new IllegalStateException("Not in transaction " + transaction);
    }
    return null;
  }
}
