package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.MissingRowsException;
import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.testing.MapCache;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.Cacheable;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Version;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.Max;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.hibernate.Session;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.hibernate.annotations.UpdateTimestamp;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * C6: then update. What a function changes of locked entities is written by one statement for each
 * set of attributes that have changed, and is what Hibernate's flush would have written.
 */
class C6ChangeIT {

  private static final List<Long> THOUSAND = LongStream.rangeClosed(1, 1000).boxed().toList();

  @RegisterExtension static final Postgres db = new Postgres();

  @Entity(name = "counted")
  @Cacheable
  @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
  static class Counted {
    @Id Long id;

    @Max(1_000_000)
    int n;

    String note;
    @Version long ver;
  }

  @Entity(name = "called")
  static class Called {
    @Id Long id;
    int n;
    @Version int ver;
    String by;

    @PreUpdate
    void update() {
      by = "callback";
    }
  }

  @Entity(name = "base")
  @Inheritance(strategy = InheritanceType.JOINED)
  static class Base {
    @Id Long id;
    int n;
    @Version int ver;
  }

  @Entity(name = "joined")
  static class Joined extends Base {
    int m;
  }

  @Entity(name = "stamped_row")
  static class Stamped {
    @Id Long id;
    int n;
    @Version int ver;
    @UpdateTimestamp java.time.Instant changed;
  }

  @Entity(name = "unversioned")
  static class Unversioned {
    @Id Long id;
    int n;
    @ManyToOne Counted counted;
    @ElementCollection List<String> names = new ArrayList<>();
  }

  @Entity(name = "placed")
  static class Placed {
    @Id Long id;

    @jakarta.persistence.Column(unique = true)
    int place;
  }

  static TestUnit unit;
  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    unit =
        db.unit(
                Counted.class,
                Called.class,
                Base.class,
                Joined.class,
                Stamped.class,
                Unversioned.class,
                Placed.class)
            .property("hibernate.hbm2ddl.auto", "create-only")
            .property("hibernate.cache.region.factory_class", MapCache.class.getName())
            .property("hibernate.cache.use_second_level_cache", "true")
            .property("hibernate.jdbc.batch_size", "50")
            .recording()
            .open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "drop trigger if exists counts on counted",
        "truncate counted, called, base, joined, stamped_row, unversioned, unversioned_names, placed",
        "insert into counted (id, n, ver) select i, 0, i from generate_series(1, 1000) i",
        "insert into called (id, n, ver) values (1, 0, 0)",
        "insert into base (id, n, ver) values (1, 0, 0), (2, 0, 0)",
        "insert into joined (id, m) values (1, 0), (2, 0)",
        "insert into stamped_row (id, n, ver, changed) values (1, 0, 0, '2000-01-01')",
        "insert into unversioned (id, n) values (1, 0), (2, 0)",
        "insert into placed (id, place) values (1, 2), (2, 3)");
    unit.factory().getCache().evictAll();
    // the catalog is asked at the first use
    rowlock.run(work -> work.change(Counted.class, List.of(1L), row -> row.note = "first"));
    rowlock.run(work -> work.change(Unversioned.class, List.of(1L), row -> row.n++));
    db.execute(
        "update counted set ver = 1, note = null where id = 1", "update unversioned set n = 0");
    unit.factory().getCache().evictAll();
  }

  /** The statements of a unit, its commit's flush included. */
  private static List<String> sent(Work work) {
    unit.log().clear();
    rowlock.run(unitOfWork -> work.with(unitOfWork));
    return unit.log().work();
  }

  private interface Work {
    void with(UnitOfWork work);
  }

  // how many statements

  @Test
  void one_changed_attribute_of_a_thousand_rows_is_one_lock_and_one_update() throws Exception {
    List<String> sent =
        sent(
            work -> {
              Map<Long, Counted> rows =
                  work.change(Counted.class, THOUSAND, row -> row.n = (int) (row.id * 2));
              assertThat(rows.keySet()).containsExactlyElementsOf(THOUSAND);
              assertThat(rows.values()).allMatch(row -> row.ver == row.id + 1);
            });

    assertThat(sent).hasSize(2);
    assertThat(sent.get(0)).contains("order by e.id for no key update");
    assertThat(sent.get(1)).contains(") update counted e set n = ");
    assertThat(db.number("select count(*) from counted where n = id * 2 and ver = id + 1"))
        .isEqualTo(1000);
  }

  @Test
  void each_set_of_changed_attributes_is_one_update_more() throws Exception {
    List<String> sent =
        sent(
            work ->
                work.change(
                    Counted.class,
                    THOUSAND,
                    row -> {
                      row.n = 7;
                      if (row.id % 2 == 0) {
                        row.note = "even";
                      }
                    }));

    assertThat(sent).hasSize(3);
    assertThat(
            db.number(
                "select count(*) from counted where n = 7 and ver = id + 1"
                    + " and note is not distinct from case when id % 2 = 0 then 'even' end"))
        .isEqualTo(1000);
  }

  @Test
  void nothing_changed_is_nothing_sent() throws Exception {
    assertThat(sent(work -> work.change(Counted.class, THOUSAND, row -> row.n = 0))).hasSize(1);
    assertThat(sent(work -> work.change(Counted.class, List.<Long>of(), row -> row.n++))).isEmpty();
    assertThat(db.number("select count(*) from counted where ver = id")).isEqualTo(1000);
  }

  @Test
  void only_what_has_changed_is_written() throws Exception {
    List<String> sent =
        sent(
            work ->
                work.change(
                    Counted.class, List.of(3L, 2L, 1L), row -> row.n = row.id == 2 ? 5 : 0));

    assertThat(sent).hasSize(2);
    assertThat(db.column("select ver from counted where id <= 3 order by id"))
        .containsExactly(1L, 3L, 3L);
  }

  @Test
  void more_than_a_thousand_rows_are_one_update_for_each_thousand() throws Exception {
    db.execute(
        "insert into counted (id, n, ver) select i, 0, i from generate_series(1001, 2001) i");
    List<Long> ids = LongStream.rangeClosed(1, 2001).boxed().toList();

    assertThat(sent(work -> work.change(Counted.class, ids, row -> row.n++))).hasSize(4);

    assertThat(db.number("select count(*) from counted where n = 1 and ver = id + 1"))
        .isEqualTo(2001);
  }

  // as Hibernate users expect

  @Test
  void changes_of_the_same_entities_follow_each_other_in_a_unit() throws Exception {
    List<String> sent =
        sent(
            work -> {
              work.change(Counted.class, List.of(1L, 2L), row -> row.n++);
              Counted first = work.entityManager().find(Counted.class, 1L);
              first.note = "between";
              work.entityManager().flush();
              work.change(Counted.class, List.of(2L, 1L), row -> row.n++);
              first.n++;
            });

    // lock, update; flush; lock, the instances read anew, update; the flush at the commit
    assertThat(sent).filteredOn(sql -> sql.contains(") update counted e ")).hasSize(2);
    assertThat(sent).filteredOn(sql -> sql.startsWith("update counted set ")).hasSize(2);
    assertThat(db.column("select n from counted where id <= 2 order by id")).containsExactly(3, 2);
    assertThat(db.column("select ver from counted where id <= 2 order by id"))
        .containsExactly(5L, 4L);
  }

  @Test
  void the_function_sees_the_row_not_what_was_managed_before() throws Exception {
    rowlock.run(
        work -> {
          Counted stale = work.entityManager().find(Counted.class, 1L);
          db.execute("update counted set n = 40, ver = 9 where id = 1");
          work.change(Counted.class, List.of(1L), row -> row.n += 2);
          assertThat(stale.n).isEqualTo(42);
          assertThat(stale.ver).isEqualTo(10);
        });

    assertThat(db.column("select n from counted where id = 1")).containsExactly(42);
    assertThat(db.column("select ver from counted where id = 1")).containsExactly(10L);
  }

  @Test
  void what_was_changed_before_the_call_is_written_too() throws Exception {
    rowlock.run(
        work -> {
          work.entityManager().find(Counted.class, 1L).note = "before";
          work.change(Counted.class, List.of(1L), row -> row.n += 2);
        });

    assertThat(db.column("select note from counted where id = 1")).containsExactly("before");
    assertThat(db.column("select n from counted where id = 1")).containsExactly(2);
  }

  @Test
  void an_optimistic_reader_notices() {
    try (EntityManager reader = unit.factory().createEntityManager()) {
      reader.getTransaction().begin();
      reader.find(Counted.class, 1L).note = "mine";
      rowlock.run(work -> work.change(Counted.class, List.of(1L), row -> row.n++));

      assertThatExceptionOfType(OptimisticLockException.class).isThrownBy(reader::flush);
      reader.getTransaction().rollback();
    }
  }

  @Test
  void the_cache_does_not_keep_what_was_before() {
    rowlock.run(work -> work.entityManager().find(Counted.class, 1L));
    assertThat(unit.factory().getCache().contains(Counted.class, 1L)).isTrue();

    rowlock.run(work -> work.change(Counted.class, List.of(1L), row -> row.n = 6));

    rowlock.run(work -> assertThat(work.entityManager().find(Counted.class, 1L).n).isEqualTo(6));
  }

  @Test
  void validation_runs_before_anything_is_written() throws Exception {
    unit.log().clear();
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work ->
                        work.change(
                            Counted.class,
                            List.of(1L, 2L),
                            row -> row.n = row.id == 2 ? 2_000_000 : 1)))
        .isInstanceOf(ConstraintViolationException.class);

    assertThat(unit.log().work()).noneMatch(sql -> sql.contains(") update counted e "));
    assertThat(db.number("select sum(n) from counted")).isZero();
  }

  @Test
  void a_row_that_a_policy_or_another_version_hides_is_an_optimistic_failure() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock
                    .maxAttempts(1)
                    .run(
                        work ->
                            work.change(
                                Counted.class,
                                List.of(1L),
                                row -> {
                                  row.n++;
                                  work.entityManager()
                                      .unwrap(Session.class)
                                      .doWork(
                                          c ->
                                              c.createStatement()
                                                  .executeUpdate(
                                                      "update counted set ver = 50 where id = 1"));
                                })))
        .hasStackTraceContaining("OptimisticLockException");

    assertThat(db.column("select ver from counted where id = 1")).containsExactly(1L);
  }

  // failures

  @Test
  void missing_rows_are_named_before_the_function_is_called() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    assertThatExceptionOfType(MissingRowsException.class)
        .isThrownBy(
            () ->
                rowlock.run(
                    work ->
                        work.change(
                            Counted.class, List.of(1L, -1L), row -> calls.incrementAndGet())));
    assertThat(calls).hasValue(0);
  }

  @Test
  void what_the_function_throws_goes_out_as_it_is_and_nothing_is_written() throws Exception {
    IllegalStateException mine = new IllegalStateException("mine");
    unit.log().clear();
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work ->
                        work.change(
                            Counted.class,
                            List.of(1L, 2L),
                            row -> {
                              row.n++;
                              if (row.id == 2) {
                                throw mine;
                              }
                            })))
        .isSameAs(mine);

    assertThat(unit.log().work()).hasSize(1);
    assertThat(db.number("select sum(n) from counted")).isZero();
  }

  @Test
  void a_share_lock_is_refused_before_it_is_taken() {
    for (LockStrength weak : List.of(LockStrength.KEY_SHARE, LockStrength.SHARE)) {
      unit.log().clear();
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(
              () ->
                  rowlock.run(
                      work ->
                          work.change(
                              Counted.class, List.of(1L), Locking.with(weak), row -> row.n++)))
          .withMessageContaining("NO_KEY_UPDATE");
      assertThat(unit.log().work()).isEmpty();
    }
  }

  // left to the flush

  @Test
  void callbacks_are_called() throws Exception {
    rowlock.run(work -> work.change(Called.class, List.of(1L), row -> row.n = 4));
    assertThat(db.column("select by from called where n = 4 and ver = 1"))
        .containsExactly("callback");
  }

  @Test
  void an_entity_of_two_tables_is_written_to_both() throws Exception {
    rowlock.run(
        work ->
            work.change(
                Joined.class,
                List.of(2L, 1L),
                row -> {
                  row.n = 4;
                  row.m = 5;
                }));
    assertThat(db.number("select count(*) from base natural join joined where n = 4 and m = 5"))
        .isEqualTo(2);
    assertThat(db.column("select ver from base")).containsExactly(1, 1);
  }

  @Test
  void what_an_update_generates_is_generated() throws Exception {
    rowlock.run(work -> work.change(Stamped.class, List.of(1L), row -> row.n = 4));
    assertThat(db.number("select count(*) from stamped_row where n = 4 and changed > '2026-01-01'"))
        .isEqualTo(1);
  }

  @Test
  void collections_and_new_associations_are_stored() throws Exception {
    rowlock.run(
        work ->
            work.change(
                Unversioned.class,
                List.of(1L, 2L),
                row -> {
                  row.n = 4;
                  if (row.id == 2) {
                    row.names.add("a name");
                    row.counted = new Counted();
                    row.counted.id = 5000L;
                    work.entityManager().persist(row.counted);
                  }
                }));
    assertThat(db.column("select names from unversioned_names")).containsExactly("a name");
    assertThat(db.column("select counted_id from unversioned where n = 4 order by id"))
        .containsExactly(null, 5000L);
  }

  @Test
  void an_association_to_a_stored_row_is_written_by_the_one_statement() throws Exception {
    List<String> sent =
        sent(
            work ->
                work.change(
                    Unversioned.class,
                    List.of(1L, 2L),
                    row -> row.counted = work.entityManager().getReference(Counted.class, 8L)));
    assertThat(sent).filteredOn(sql -> sql.contains(") update unversioned e ")).hasSize(1);
    assertThat(db.column("select counted_id from unversioned")).containsExactly(8L, 8L);
  }

  /**
   * Row by row in the order of the lock, each finds the place free that the one before has left.
   */
  @Test
  void unique_values_move_in_the_order_of_the_lock() throws Exception {
    List<String> sent =
        sent(work -> work.change(Placed.class, List.of(2L, 1L), row -> row.place--));
    assertThat(sent).noneMatch(sql -> sql.contains(") update placed e "));
    assertThat(db.column("select place from placed order by id")).containsExactly(1, 2);
  }

  @Test
  void a_removed_entity_is_removed() throws Exception {
    rowlock.run(
        work ->
            work.change(
                Counted.class,
                List.of(1L, 2L),
                row -> {
                  row.n = 4;
                  if (row.id == 2) {
                    work.entityManager().remove(row);
                  }
                }));
    assertThat(db.column("select n from counted where id <= 2")).containsExactly(4);
  }

  @Test
  void a_trigger_sees_the_rows_in_the_order_of_the_lock() throws Exception {
    db.execute(
        "drop table if exists seen",
        "create table seen (n serial, id bigint)",
        "create or replace function note() returns trigger language plpgsql as"
            + " 'begin insert into seen (id) values (new.id); return new; end'",
        "create trigger counts before update on counted for each row execute function note()");
    Rowlock fresh = Rowlock.of(unit.factory());
    List<Long> ids = new ArrayList<>(THOUSAND);
    Collections.shuffle(ids, new Random(1));
    unit.log().clear();
    fresh.run(work -> work.change(Counted.class, ids, row -> row.n++));
    assertThat(unit.log().work()).noneMatch(sql -> sql.contains(") update counted e "));
    assertThat(db.column("select id from seen order by n"))
        .containsExactlyElementsOf(new ArrayList<Object>(THOUSAND));
  }

  // together

  @Test
  void eight_threads_lose_nothing_and_do_not_deadlock() throws Exception {
    long before = db.deadlocks();
    Together.run(
        8,
        thread -> {
          Random random = new Random(thread);
          for (int round = 0; round < 20; round++) {
            List<Long> ids = new ArrayList<>(THOUSAND.subList(0, 100));
            Collections.shuffle(ids, random);
            rowlock.run(work -> work.change(Counted.class, ids.subList(0, 60), row -> row.n++));
          }
          return null;
        });
    assertThat(db.number("select sum(n) from counted")).isEqualTo(8 * 20 * 60);
    assertThat(db.number("select count(*) from counted where ver <> id + n")).isZero();
    assertThat(db.deadlocks()).isEqualTo(before);
  }
}
