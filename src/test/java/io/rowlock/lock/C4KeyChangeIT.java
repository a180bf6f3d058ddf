package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.Together;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * C4: a change of a key needs the strongest lock. A child row of a rival's holds the parent's key,
 * and the rival goes on to change the parent.
 */
class C4KeyChangeIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(Tag.TABLE, "create table child (pid bigint references tag)");

  static Rowlock rowlock;

  final AtomicInteger attempts = new AtomicInteger();

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Tag.class).open().factory());
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute("truncate tag, child", "insert into tag (id, slug) values (1, 'old')");
  }

  @Test
  void under_the_default_lock_it_can_deadlock_and_the_unit_runs_again() throws Exception {
    long deadlocks = db.deadlocks();
    Rival rival = child();
    // the rival never looks for a deadlock: the unit is the one that finds it
    rival.execute("set local deadlock_timeout = '1h'");
    AtomicReference<Future<Void>> waiting = new AtomicReference<>();

    rowlock.run(
        work -> {
          Tag tag = work.lock(Tag.class, List.of(1L)).get(1L);
          if (attempts.incrementAndGet() == 1) {
            waiting.set(Together.start(() -> changeAndCommit(rival)));
            db.awaitBlocked(rival.pid());
          }
          tag.slug = "new";
          try {
            work.entityManager().flush();
          } finally {
            Together.get(waiting.get());
          }
        });

    assertThat(attempts).hasValue(2);
    assertThat(db.deadlocks()).isEqualTo(deadlocks + 1);
    assertThat(db.one("select slug || ' ' || note from tag")).isEqualTo("new rival");
  }

  @Test
  void under_the_strongest_lock_the_two_take_turns() throws Exception {
    long deadlocks = db.deadlocks();
    Rival rival = child();
    Future<Void> unit =
        Together.start(
            () -> {
              rowlock.run(
                  work -> {
                    attempts.incrementAndGet();
                    Locking how = Locking.with(LockStrength.UPDATE);
                    work.lock(Tag.class, List.of(1L), how).get(1L).slug = "new";
                  });
              return null;
            });
    db.awaitBlockedBy(rival.pid());

    changeAndCommit(rival);

    Together.get(unit);
    assertThat(attempts).hasValue(1);
    assertThat(db.deadlocks()).isEqualTo(deadlocks);
    assertThat(db.one("select slug || ' ' || note from tag")).isEqualTo("new rival");
  }

  private static Rival child() throws Exception {
    Rival rival = db.rival();
    rival.execute("insert into child values (1)");
    return rival;
  }

  private static Void changeAndCommit(Rival rival) throws Exception {
    rival.execute("update tag set note = 'rival' where id = 1");
    rival.commit();
    return null;
  }
}
