package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.testing.Await;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.Together;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C1, B6: a batch upsert and a lock of the same rows take turns, whatever the keys' order is. */
class C1BatchAndLockIT {

  @RegisterExtension static final Postgres db = new Postgres(Page.TABLE);

  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Page.class).open().factory());
  }

  @BeforeEach
  void the_order_of_the_ids_is_not_that_of_the_keys() throws Exception {
    db.execute(
        "truncate page",
        "insert into page (id, slug, title, version)"
            + " values (1, 'c', 'x', 0), (2, 'b', 'x', 0), (3, 'a', 'x', 0)");
  }

  /** The rival at b holds up both: the batch has a by then, the lock has 1, which is c. */
  @Test
  void an_upsert_of_many_and_a_lock_of_many_take_turns() throws Exception {
    long deadlocks = db.deadlocks();
    Rival rival = db.rival();
    rival.execute("select id from page where slug = 'b' for update");
    Future<List<UpsertResult<Page>>> batch =
        Together.start(
            () ->
                rowlock.call(
                    work ->
                        work.upsertAll(
                            List.of(new Page("a", "y"), new Page("b", "y"), new Page("c", "y")))));
    int first = db.awaitBlockedBy(rival.pid());
    Future<Void> lock =
        Together.start(
            () -> {
              rowlock.run(work -> work.lock(Page.class, List.of(1L, 2L, 3L)));
              return null;
            });
    Await.until(
        "the lock waits too",
        () ->
            db.number(
                    "select count(*) from pg_stat_activity where application_name = ?"
                        + " and cardinality(pg_blocking_pids(pid)) > 0 and pid <> ?",
                    db.schema(),
                    first)
                == 1);
    rival.rollback();
    Together.get(batch);
    Together.get(lock);
    assertThat(db.deadlocks()).isEqualTo(deadlocks);
  }
}
