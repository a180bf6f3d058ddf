package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.hibernate.RowLocks;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C6: then update. Raising the version of many rows is one statement and answers id to version. */
class C6ThenUpdateIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Tag.TABLE,
          VTag.TABLE,
          "create table longs (id int primary key, \"the Version\" bigint)",
          "create table shorts (id smallint primary key, ver smallint not null)",
          "create table stamped (id bigint primary key, ver timestamptz)");

  @Entity(name = "longs")
  static class Longs {
    @Id Integer id;

    @Version
    @jakarta.persistence.Column(name = "\"the Version\"")
    Long ver;
  }

  @Entity(name = "shorts")
  static class Shorts {
    @Id short id;
    @Version short ver;
  }

  @Entity(name = "stamped")
  static class Stamped {
    @Id Long id;
    @Version Instant ver;
  }

  static TestUnit unit;
  static final RowLocks locks = new RowLocks();

  @BeforeAll
  static void open() {
    unit =
        db.unit(Tag.class, VTag.class, Longs.class, Shorts.class, Stamped.class).recording().open();
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "truncate tag, vtag, longs, shorts",
        "insert into tag (id) values (3), (2), (1)",
        "insert into vtag (id, ver) values (3, 30), (2, 20), (1, 10)",
        "insert into longs values (2, 7000000000), (1, null)",
        "insert into shorts values (1, 41)");
  }

  @Test
  void raising_versions_is_one_lock_and_one_update_and_answers_them_in_lock_order()
      throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          Map<Long, Long> versions =
              locks.incrementVersions(em, VTag.class, List.of(3L, 1L, 2L, 3L));

          assertThat(new LinkedHashMap<>(versions))
              .containsExactly(Map.entry(1L, 11L), Map.entry(2L, 21L), Map.entry(3L, 31L));
          assertThat(unit.log().work()).hasSize(2);
          assertThat(unit.log().work().get(0))
              .isEqualTo(
                  "select e.id from vtag e where e.id = any (?) order by e.id"
                      + " for no key update of e");
          assertThat(unit.log().work().get(1)).startsWith("update vtag e set ver = ");
        });

    assertThat(db.column("select ver from vtag order by id")).containsExactly(11, 21, 31);
  }

  @Test
  void a_managed_instance_shows_the_new_version_and_can_be_written() throws Exception {
    Transaction.run(
        unit,
        em -> {
          VTag clean = em.find(VTag.class, 1L);
          VTag dirty = em.find(VTag.class, 2L);
          dirty.n = 5;
          db.execute("update vtag set n = 9, ver = 11 where id = 1");

          Map<Long, Long> versions = locks.incrementVersions(em, VTag.class, List.of(1L, 2L, 3L));

          assertThat(versions.values()).containsExactly(12L, 22L, 31L);
          assertThat(clean.ver).isEqualTo(12);
          assertThat(clean.n).isEqualTo(9);
          assertThat(dirty.ver).isEqualTo(22);
          clean.n++;
        });

    assertThat(db.column("select n from vtag order by id")).containsExactly(10, 5, 0);
    assertThat(db.column("select ver from vtag order by id")).containsExactly(13, 22, 31);
  }

  @Test
  void every_integral_version_can_be_raised() throws Exception {
    Transaction.run(
        unit,
        em -> {
          assertThat(locks.incrementVersions(em, Longs.class, List.of(2, 1)))
              .isEqualTo(Map.of(1, 1L, 2, 7_000_000_001L));
          assertThat(locks.incrementVersions(em, Shorts.class, List.of((short) 1)))
              .isEqualTo(Map.of((short) 1, 42L));
        });
  }

  @Test
  void an_entity_without_an_integral_version_is_refused_with_the_remedy() throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          for (Class<?> type : List.of(Tag.class, Stamped.class)) {
            UnsupportedMappingException refused =
                catchThrowableOfType(
                    UnsupportedMappingException.class,
                    () -> locks.incrementVersions(em, type, List.of()));
            assertThat(refused.entity()).isEqualTo(type.getName());
            assertThat(refused).hasMessageContaining("@Version").hasMessageContaining("long");
          }
          assertThat(unit.log().work()).isEmpty();
        });
  }

  @Test
  void changes_after_the_lock_are_written_in_the_order_of_the_lock() throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          locks
              .lock(em, Tag.class, List.of(3L, 1L, 2L), Locking.defaults())
              .values()
              .forEach(tag -> tag.note = "written as " + tag.id);
        });

    assertThat(db.column("select id from tag order by xmin::text::bigint, cmin::text::bigint"))
        .containsExactly(1L, 2L, 3L);
  }
}
