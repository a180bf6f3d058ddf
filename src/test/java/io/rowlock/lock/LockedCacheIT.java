package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.internal.hibernate.RowLocks;
import io.rowlock.testing.MapCache;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Cacheable;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.TransactionRequiredException;
import jakarta.persistence.Version;
import java.util.List;
import org.hibernate.Session;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * C2 with a second-level cache: it neither stands for the row, nor keeps what is not true any more.
 */
class LockedCacheIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table plain (id bigint primary key, n int not null, ver int not null)",
          "create table eager (id bigint primary key, n int not null, friend_id bigint)");

  @Entity(name = "plain")
  @Cacheable
  @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
  static class Plain {
    @Id Long id;
    int n;
    @Version int ver;
  }

  @Entity(name = "eager")
  @Cacheable
  @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
  static class Eager {
    @Id Long id;
    int n;
    @ManyToOne Eager friend;
  }

  static TestUnit unit;
  static final RowLocks locks = new RowLocks();

  @BeforeAll
  static void open() {
    unit =
        db.unit(Plain.class, Eager.class)
            .property("hibernate.cache.region.factory_class", MapCache.class.getName())
            .property("hibernate.cache.use_second_level_cache", "true")
            .recording()
            .open();
  }

  @BeforeEach
  void cachedRows() throws Exception {
    db.execute(
        "truncate plain, eager",
        "insert into plain values (1, 0, 0), (2, 0, 0)",
        "insert into eager values (1, 0, null)");
    unit.factory().getCache().evictAll();
    Transaction.run(
        unit,
        em -> {
          em.find(Plain.class, 1L);
          em.find(Eager.class, 1L);
        });
    assertThat(unit.factory().getCache().contains(Plain.class, 1L)).isTrue();
    assertThat(unit.factory().getCache().contains(Eager.class, 1L)).isTrue();
  }

  @Test
  void the_row_is_read_not_the_cache() throws Exception {
    db.execute("update plain set n = 7", "update eager set n = 7");
    Transaction.run(
        unit,
        em -> {
          assertThat(locks.lock(em, Plain.class, List.of(1L), Locking.defaults()).get(1L).n)
              .isEqualTo(7);
          assertThat(locks.lock(em, Eager.class, List.of(1L), Locking.defaults()).get(1L).n)
              .isEqualTo(7);
        });
    Transaction.run(
        unit,
        em -> {
          assertThat(em.find(Plain.class, 1L).n).as("from the cache, as before").isZero();
          assertThat(locks.lock(em, Plain.class, List.of(1L), Locking.defaults()).get(1L).n)
              .isEqualTo(7);
        });
  }

  @Test
  void what_is_read_before_the_commit_is_not_cached() throws Exception {
    Transaction.run(
        unit,
        em -> {
          em.unwrap(Session.class)
              .doWork(c -> c.createStatement().executeUpdate("update plain set n = 9"));
          unit.factory().getCache().evictAll();
          locks.lock(em, Plain.class, List.of(1L), Locking.defaults());
          em.getTransaction().setRollbackOnly();
        });
    Transaction.run(unit, em -> assertThat(em.find(Plain.class, 1L).n).isZero());
  }

  @Test
  void raised_versions_are_dropped_from_the_cache_at_once_and_at_the_end() throws Exception {
    for (boolean commit : new boolean[] {false, true}) {
      Transaction.run(
          unit,
          em -> {
            locks.incrementVersions(em, Plain.class, List.of(1L, 2L));
            assertThat(em.find(Plain.class, 1L).ver).isEqualTo(1);
            if (!commit) {
              em.getTransaction().setRollbackOnly();
            }
          });
      assertThat(cachedVersion()).as("committed: " + commit).isEqualTo(commit ? 1 : 0);
    }
  }

  private static int cachedVersion() throws Exception {
    return Transaction.call(unit, em -> em.find(Plain.class, 1L).ver);
  }

  @Test
  void without_a_transaction_nothing_is_locked() {
    try (EntityManager em = unit.factory().createEntityManager()) {
      assertThatExceptionOfType(TransactionRequiredException.class)
          .isThrownBy(() -> locks.lock(em, Plain.class, List.of(1L), Locking.defaults()));
    }
  }
}
