package io.rowlock.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.testing.Await;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TcpProxy;
import io.rowlock.testing.TcpProxy.Fault;
import io.rowlock.testing.TcpProxy.Planned;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import jakarta.transaction.TransactionManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise A7 where a container begins and ends the transactions. */
class A7CdiOutcomeIT {

  static final TcpProxy proxy = TcpProxy.open();

  @RegisterExtension
  @Order(1)
  static final Postgres db = new Postgres(Account.TABLE);

  @RegisterExtension
  @Order(2)
  static final Container container =
      new Container(db, Recorder.class, Accounts.class).through(proxy);

  final AtomicInteger attempts = new AtomicInteger();

  @BeforeEach
  void fresh() throws Exception {
    db.execute("truncate account", "insert into account values (1, 10), (2, 10)");
    container.bean(Recorder.class).clear();
  }

  @AfterEach
  void calm() {
    proxy.calm();
  }

  @AfterAll
  static void close() {
    proxy.close();
  }

  private Accounts accounts() {
    return container.bean(Accounts.class);
  }

  private int raise(EntityManager em) {
    attempts.incrementAndGet();
    em.find(Account.class, 1L).balance++;
    return attempts.get();
  }

  private static long balance() throws Exception {
    return db.number("select balance from account where id = 1");
  }

  @Test
  void a_commit_that_was_delivered_is_answered_by_the_methods_result() throws Exception {
    proxy.atCommit(Fault.CUT_ANSWERED);

    assertThat(accounts().<Integer>unit(this::raise)).isEqualTo(1);

    assertThat(balance()).isEqualTo(11);
    assertThat(container.bean(Recorder.class).events())
        .containsExactly("attempt 1", "commit 1", "committed 1");
  }

  @Test
  void a_commit_that_was_not_delivered_calls_the_method_again() throws Exception {
    Planned lost = proxy.atCommit(Fault.LOSE_BEFORE);

    Future<Integer> result = Together.start(() -> accounts().unit(this::raise));
    Await.until("COMMIT was sent", lost::happened);
    lost.release();

    assertThat(Together.get(result)).isEqualTo(2);
    assertThat(balance()).isEqualTo(11);
  }

  @Test
  void an_exception_that_commits_leaves_as_it_was_thrown() throws Exception {
    Accounts.Overdrawn overdrawn = new Accounts.Overdrawn();
    proxy.atCommit(Fault.CUT_ANSWERED);

    assertThatThrownBy(
            () ->
                accounts()
                    .unit(
                        em -> {
                          raise(em);
                          throw overdrawn;
                        }))
        .isSameAs(overdrawn);

    assertThat(attempts).hasValue(1);
    assertThat(balance()).isEqualTo(11);
  }

  @Test
  void A10_work_put_off_by_a_method_runs_once_after_the_commit() throws Exception {
    Rowlock rowlock = container.bean(Rowlock.class);
    List<String> done = new ArrayList<>();
    proxy.atCommit(Fault.CUT_ANSWERED);

    accounts()
        .unit(
            em -> {
              int attempt = raise(em);
              rowlock.on(em).afterCommit(() -> done.add("of attempt " + attempt));
              if (attempt == 1) {
                Sql.raise(em, "40001");
              }
              return attempt;
            });

    assertThat(done).containsExactly("of attempt 2");
    assertThat(balance()).isEqualTo(11);
  }

  /** The transaction around it is the thread's again when the question is asked. */
  @Test
  void a_unit_in_a_new_transaction_is_asked_for_outside_of_the_one_around_it() throws Exception {
    TransactionManager manager = JtaUnit.transactionManager();
    manager.begin();
    try {
      proxy.atCommit(Fault.CUT_ANSWERED);
      assertThat(accounts().<Integer>requiresNew(this::raise)).isEqualTo(1);
      manager.setRollbackOnly();
    } finally {
      manager.rollback();
    }
    assertThat(balance()).isEqualTo(11);
  }
}
