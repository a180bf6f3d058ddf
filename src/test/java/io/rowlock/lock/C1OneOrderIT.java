package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.internal.hibernate.RowLocks;
import io.rowlock.testing.Await;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C1: the whole set first, in one order. */
class C1OneOrderIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE, VTag.TABLE);

  static final RowLocks locks = new RowLocks();

  TestUnit unit;

  @BeforeEach
  void open() {
    unit = db.unit(Tag.class, VTag.class).recording().open();
  }

  @AfterEach
  void close() {
    unit.close();
  }

  /** A thousand rows, stored in an order unlike their ids. */
  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "truncate tag, vtag",
        "insert into tag (id) select id from generate_series(1, 1000) id order by md5(id::text)",
        "insert into vtag (id) select id from generate_series(1, 1000) id order by id desc");
  }

  @Test
  void rows_are_locked_one_by_one_in_the_order_of_their_ids() throws Exception {
    // so few rows are read in the order in which they are stored, which is the order of the call
    db.execute("truncate tag", "insert into tag (id) values (3), (1), (2)", "analyze tag");
    Rival holder = db.rival();
    holder.execute("select id from tag where id = 2 for update");
    Future<List<Long>> batch = Together.start(() -> lock(List.of(3L, 1L, 2L)));
    int waiting = db.awaitBlockedBy(holder.pid());

    assertThat(db.column("select id from tag where id in (1, 2, 3) order by id"))
        .containsExactly(1L, 2L, 3L);
    assertThat(
            db.column(
                "select id from tag where id in (1, 2, 3) order by id for update skip locked"))
        .as("free while the batch waits for 2")
        .containsExactly(3L);
    assertThat(db.column("select unnest(pg_blocking_pids(?))", waiting))
        .containsExactly(holder.pid());
    Rival behind = db.rival();
    Future<Integer> first = behind.executeAsync("select id from tag where id = 1 for update");
    assertThat(db.awaitBlockedBy(waiting)).as("1 is held by the batch").isEqualTo(behind.pid());

    holder.commit();
    assertThat(Together.get(batch)).containsExactly(1L, 2L, 3L);
    Together.get(first);
  }

  @Test
  void overlapping_batches_wait_for_each_other_and_each_counts_once() throws Exception {
    long deadlocks = db.deadlocks();

    List<Map<Long, Long>> versions =
        Together.run(
            2,
            thread ->
                Transaction.call(
                    unit,
                    em ->
                        locks.incrementVersions(
                            em, VTag.class, thread == 0 ? List.of(3L, 1L, 2L) : List.of(3L, 2L))));

    assertThat(db.column("select ver from vtag where id <= 3 order by id"))
        .containsExactly(1, 2, 2);
    assertThat(versions.get(0).keySet()).containsExactly(1L, 2L, 3L);
    assertThat(versions.get(1).keySet()).containsExactly(2L, 3L);
    assertThat(versions.get(0).get(2L) + versions.get(1).get(2L)).isEqualTo(3L);
    assertThat(deadlocksReported()).isEqualTo(deadlocks);
  }

  @Test
  void random_overlapping_batches_lose_nothing_and_never_deadlock() throws Exception {
    long deadlocks = db.deadlocks();

    Together.run(
        8,
        thread -> {
          Random random = new Random(thread);
          for (int round = 0; round < 200; round++) {
            List<Long> batch = someOf(1000, random);
            Transaction.run(unit, em -> locks.incrementVersions(em, VTag.class, batch));
          }
          return null;
        });

    assertThat(db.number("select sum(ver) from vtag")).isEqualTo(8L * 200 * 50);
    assertThat(deadlocksReported()).isEqualTo(deadlocks);
  }

  @Test
  void batches_that_change_entities_under_the_lock_lose_nothing_and_never_deadlock()
      throws Exception {
    long deadlocks = db.deadlocks();

    Together.run(
        4,
        thread -> {
          Random random = new Random(thread);
          for (int round = 0; round < 50; round++) {
            List<Long> batch = someOf(1000, random);
            Transaction.run(
                unit,
                em ->
                    locks
                        .lock(em, Tag.class, batch, Locking.defaults())
                        .values()
                        .forEach(tag -> tag.n++));
          }
          return null;
        });

    assertThat(db.number("select sum(n) from tag")).isEqualTo(4L * 50 * 50);
    assertThat(deadlocksReported()).isEqualTo(deadlocks);
  }

  @Test
  void single_locks_in_the_order_of_the_call_would_deadlock_and_be_counted() throws Exception {
    long deadlocks = db.deadlocks();
    List<Rival> rivals = List.of(db.rival(), db.rival());
    int victims =
        Together.run(
                2,
                thread -> {
                  try (Rival rival = rivals.get(thread)) {
                    List<Long> ids = thread == 0 ? List.of(1L, 2L) : List.of(2L, 1L);
                    rival.execute("select id from tag where id = ? for update", ids.get(0));
                    Await.until(
                        "both hold a row",
                        () ->
                            db.column(
                                    "select id from tag where id in (1, 2) for update skip locked")
                                .isEmpty());
                    rival.execute("select id from tag where id = ? for update", ids.get(1));
                    return 0;
                  } catch (SQLException e) {
                    assertThat(e.getSQLState()).isEqualTo("40P01");
                    return 1;
                  }
                })
            .stream()
            .mapToInt(Integer::intValue)
            .sum();

    assertThat(victims).isEqualTo(1);
    assertThat(deadlocksReported()).isEqualTo(deadlocks + 1);
  }

  @Test
  void a_batch_given_in_any_order_is_one_statement_ordered_by_id_in_sql() throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          locks.lock(em, Tag.class, List.of(3L, 1L, 2L, 1L), Locking.defaults());
        });

    assertThat(unit.log().work())
        .singleElement()
        .asString()
        .endsWith("from tag e where e.id = any (?) order by e.id for no key update of e) x");
  }

  @Test
  void batches_of_the_same_rows_in_different_orders_never_deadlock() throws Exception {
    long deadlocks = db.deadlocks();

    Together.run(
        2,
        thread -> {
          for (int round = 0; round < 200; round++) {
            lock(thread == 0 ? List.of(3L, 1L, 5L, 1L) : List.of(1L, 3L));
          }
          return null;
        });

    assertThat(deadlocksReported()).isEqualTo(deadlocks);
  }

  @Test
  void seventy_thousand_ids_are_one_statement() throws Exception {
    db.execute("insert into tag (id) select generate_series(1001, 70000)");
    List<Long> ids = new ArrayList<>(LongStream.rangeClosed(1, 70_000).boxed().toList());
    Collections.shuffle(ids, new Random(1));

    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          Map<Long, Tag> locked = locks.lock(em, Tag.class, ids, Locking.defaults());
          assertThat(unit.log().work()).hasSize(1);
          assertThat(List.copyOf(locked.keySet())).hasSize(70_000).isSorted();
        });
  }

  private List<Long> lock(List<Long> ids) throws Exception {
    return Transaction.call(
        unit, em -> List.copyOf(locks.lock(em, Tag.class, ids, Locking.defaults()).keySet()));
  }

  /** A backend may keep its counts for itself for some seconds; it hands them over when it ends. */
  private long deadlocksReported() throws Exception {
    unit.close();
    Await.until(
        "the unit's backends have ended",
        () ->
            db.number(
                    "select count(*) from pg_stat_activity where application_name = ?"
                        + " and pid <> pg_backend_pid()",
                    db.schema())
                == 0);
    return db.deadlocks();
  }

  private static List<Long> someOf(int rows, Random random) throws Exception {
    List<Long> ids = new ArrayList<>(LongStream.rangeClosed(1, rows).boxed().toList());
    Collections.shuffle(ids, random);
    return ids.subList(0, 50);
  }
}
