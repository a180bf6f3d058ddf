package io.rowlock.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * C08, C10, C41: whatever the order and place of the two annotations, an attempt is a transaction
 * of its own, and both a failure in the middle and one that only COMMIT raises are followed by
 * another.
 */
class CdiPlacementIT {

  @RegisterExtension
  @Order(1)
  static final Postgres db = new Postgres(Account.TABLE);

  @RegisterExtension
  @Order(2)
  static final Container container = new Container(db, Recorder.class).beans(Placements.all());

  static Stream<Class<?>> placements() {
    return Stream.of(Placements.all());
  }

  @BeforeEach
  void accounts() throws Exception {
    db.execute("truncate account", "insert into account values (1, 10), (2, 10)");
    container.bean(Recorder.class).clear();
  }

  @ParameterizedTest
  @MethodSource("placements")
  void a_deadlock_in_the_middle_is_followed_by_a_second_transaction(Class<Work.Worker> placement)
      throws Exception {
    Set<Object> transactions = new LinkedHashSet<>();
    List<Future<Integer>> waiting = new ArrayList<>();
    Rival rival = db.rival();
    // the rival has committed before the second attempt takes its snapshot
    container.bean(Recorder.class).beforeRerun(unit -> Together.get(waiting.get(0)));

    int answer =
        container
            .bean(placement)
            .call(
                em -> {
                  transactions.add(Sql.transactionId(em));
                  em.find(Account.class, 1L).balance++;
                  em.flush();
                  if (transactions.size() == 1) {
                    waiting.add(Deadlock.prepare(db, rival, Sql.pid(em), 2, 1));
                  }
                  em.find(Account.class, 2L).balance++;
                  em.flush();
                  return transactions.size();
                });

    assertThat(answer).isEqualTo(2);
    assertThat(transactions).hasSize(2);
    assertThat(Together.get(waiting.get(0))).isEqualTo(1);
    assertThat(container.bean(Recorder.class).events())
        .containsExactly(
            "attempt 1", "failed 1 DEADLOCK", "rerun", "attempt 2", "commit 2", "committed 2");
    assertThat(db.column("select balance from account order by id")).isEqualTo(List.of(111, 111));
  }

  @ParameterizedTest
  @MethodSource("placements")
  void a_failure_that_only_commit_raises_is_followed_by_a_second_transaction(
      Class<Work.Worker> placement) throws Exception {
    Set<Object> transactions = new LinkedHashSet<>();
    Rival rival = db.rival();

    container
        .bean(placement)
        .call(
            em -> {
              transactions.add(Sql.transactionId(em));
              int sum = sum(em);
              em.find(Account.class, 1L).balance = sum;
              em.flush();
              if (transactions.size() == 1) {
                rival.execute("set transaction isolation level serializable");
                rival.one("select sum(balance) from account");
                rival.execute("update account set balance = 20 where id = 2");
                rival.commit();
              }
              return null;
            });

    assertThat(transactions).hasSize(2);
    assertThat(container.bean(Recorder.class).events())
        .containsExactly(
            "attempt 1",
            "commit 1",
            "failed 1 SERIALIZATION_FAILURE",
            "rerun",
            "attempt 2",
            "commit 2",
            "committed 2");
    assertThat(db.column("select balance from account order by id")).isEqualTo(List.of(30, 20));
  }

  private static int sum(EntityManager em) {
    return em.createQuery("select sum(a.balance) from account a", Long.class)
        .getSingleResult()
        .intValue();
  }
}
