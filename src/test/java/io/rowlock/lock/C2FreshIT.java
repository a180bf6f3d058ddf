package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.internal.hibernate.RowLocks;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.FlushModeType;
import jakarta.persistence.LockModeType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C2: what is locked is fresh. */
class C2FreshIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE, VTag.TABLE);

  static TestUnit unit;
  static final RowLocks locks = new RowLocks();

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class, VTag.class).recording().open();
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "truncate tag, vtag",
        "insert into tag values (1, 'a', 0, 'x'), (2, 'b', 0, 'x')",
        "insert into vtag values (1, 0, 0), (2, 0, 0)");
  }

  @Test
  void a_stale_managed_instance_shows_the_row_under_the_lock() throws Exception {
    Transaction.run(
        unit,
        em -> {
          Tag stale = em.find(Tag.class, 1L);
          db.execute("update tag set n = 100, note = 'other' where id = 1");

          Tag locked = locks.lock(em, Tag.class, List.of(1L), Locking.defaults()).get(1L);

          assertThat(locked).isSameAs(stale);
          assertThat(locked.n).isEqualTo(100);
          locked.n++;
        });

    assertThat(db.number("select n from tag where id = 1")).isEqualTo(101);
    assertThat(db.one("select note from tag where id = 1")).isEqualTo("other");
  }

  @Test
  void a_stale_instance_with_a_version_is_no_optimistic_lock_failure() throws Exception {
    Transaction.run(
        unit,
        em -> {
          em.find(VTag.class, 1L);
          db.execute("update vtag set n = 100, ver = 1 where id = 1");

          VTag locked = locks.lock(em, VTag.class, List.of(1L), Locking.defaults()).get(1L);

          assertThat(locked.ver).isEqualTo(1);
          locked.n++;
        });

    assertThat(db.number("select n from vtag where id = 1")).isEqualTo(101);
    assertThat(db.number("select ver from vtag where id = 1")).isEqualTo(2);
  }

  @Test
  void eight_threads_that_find_then_lock_lose_no_increment() throws Exception {
    Together.run(
        8,
        thread -> {
          for (int i = 0; i < 50; i++) {
            Transaction.run(
                unit,
                em -> {
                  em.find(VTag.class, 1L);
                  locks.lock(em, VTag.class, List.of(1L), Locking.defaults()).get(1L).n++;
                });
          }
          return null;
        });

    assertThat(db.number("select n from vtag where id = 1")).isEqualTo(400);
    assertThat(db.number("select ver from vtag where id = 1")).isEqualTo(400);
  }

  @Test
  void only_instances_managed_before_cost_a_further_statement() throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          locks.lock(em, Tag.class, List.of(2L, 1L), Locking.defaults());
          assertThat(unit.log().work()).hasSize(1);
        });
    Transaction.run(
        unit,
        em -> {
          em.find(Tag.class, 1L);
          unit.log().clear();
          locks.lock(em, Tag.class, List.of(2L, 1L), Locking.defaults());
          assertThat(unit.log().work()).hasSize(2);
        });
  }

  @Test
  void changes_that_were_not_flushed_are_written_first_in_every_flush_mode() throws Exception {
    for (FlushModeType mode : FlushModeType.values()) {
      db.execute("update tag set n = 0");
      Transaction.run(
          unit,
          em -> {
            em.setFlushMode(mode);
            Tag dirty = em.find(Tag.class, 1L);
            dirty.n = 5;
            Tag added = new Tag();
            added.id = 3L;
            em.persist(added);

            Map<Long, Tag> locked = locks.lock(em, Tag.class, List.of(1L, 3L), Locking.defaults());

            assertThat(locked.get(1L).n).isEqualTo(5);
            assertThat(locked.get(3L)).isSameAs(added);
            em.remove(added);
          });
      assertThat(db.number("select n from tag where id = 1")).isEqualTo(5);
    }
  }

  @Test
  void an_uninitialized_reference_is_initialized_by_the_lock() throws Exception {
    Transaction.run(
        unit,
        em -> {
          Tag reference = em.getReference(Tag.class, 1L);
          unit.log().clear();
          Map<Long, Tag> locked = locks.lock(em, Tag.class, List.of(1L), Locking.defaults());
          assertThat(locked.get(1L)).isSameAs(reference);
          assertThat(em.getEntityManagerFactory().getPersistenceUnitUtil().isLoaded(reference))
              .isTrue();
          assertThat(unit.log().work()).hasSize(1);
        });
  }

  @Test
  void hibernate_knows_the_lock_and_asks_for_it_no_more() throws Exception {
    Transaction.run(
        unit,
        em -> {
          em.find(VTag.class, 1L);
          Map<Long, VTag> locked = locks.lock(em, VTag.class, List.of(1L, 2L), Locking.defaults());
          assertThat(locked.values())
              .allMatch(tag -> em.getLockMode(tag) == LockModeType.PESSIMISTIC_WRITE);
          unit.log().clear();
          locked.values().forEach(tag -> em.lock(tag, LockModeType.PESSIMISTIC_WRITE));
          assertThat(unit.log().work()).isEmpty();
        });
  }
}
