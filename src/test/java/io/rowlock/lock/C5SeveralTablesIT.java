package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.LockNotAvailableException;
import io.rowlock.MissingRowsException;
import io.rowlock.Rowlock;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.testing.Await;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * C5: one order over tables, then over the ids within a table, whatever order a plan is given in.
 */
class C5SeveralTablesIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table author (id bigint primary key, articles int not null default 0,"
              + " ver int not null default 0)",
          "create table article (id bigint primary key, author_id bigint references author,"
              + " title text, ver int not null default 0)",
          "create table remark (id bigint primary key, article_id bigint references article)",
          "create table sec (id bigint primary key, a text)",
          "create table sec2 (id bigint primary key references sec, b text)",
          "create table base (id bigint primary key, bn text)",
          "create table sub (id bigint primary key references base, sn text)");

  @Entity(name = "author")
  static class Author {
    @Id Long id;
    int articles;
    @Version int ver;
  }

  /** Its name comes before its parent's. */
  @Entity(name = "article")
  static class Article {
    @Id Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    Author author;

    String title;
    @Version int ver;
  }

  /** The same table once more. */
  @Entity(name = "title")
  @Table(name = "article")
  static class Title {
    @Id Long id;
    String title;
  }

  /** The same table, known by another column. */
  @Entity(name = "by_title")
  @Table(name = "article")
  static class ByTitle {
    @Id
    @Column(name = "title")
    String title;
  }

  @Entity(name = "remark")
  static class Remark {
    @Id Long id;

    @ManyToOne(fetch = FetchType.LAZY)
    Article article;
  }

  @Entity(name = "sec")
  @SecondaryTable(name = "sec2")
  static class Sec {
    @Id Long id;
    String a;

    @Column(table = "sec2")
    String b;
  }

  @Entity(name = "base")
  @Inheritance(strategy = InheritanceType.JOINED)
  static class Base {
    @Id Long id;
    String bn;
  }

  @Entity(name = "sub")
  static class Sub extends Base {
    String sn;
  }

  static TestUnit unit;
  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    unit =
        db.unit(
                Author.class,
                Article.class,
                Title.class,
                ByTitle.class,
                Remark.class,
                Sec.class,
                Base.class,
                Sub.class)
            .recording()
            .open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "truncate author, article, remark, sec, sec2, base, sub",
        "insert into author (id) select generate_series(20, 1, -1)",
        "insert into article (id, author_id, title) select i, i, 't' from generate_series(20, 1, -1) i",
        "insert into remark select i, i from generate_series(20, 1, -1) i",
        "insert into sec values (2, 'a'), (1, 'a')",
        "insert into sec2 values (2, 'b'), (1, 'b')",
        "insert into base values (2, 'b'), (1, 'b'), (3, 'b')",
        "insert into sub values (2, 's'), (1, 's')");
  }

  @Test
  void a_plan_given_in_either_order_is_one_statement_a_table_parents_first() {
    List<LockPlan> either =
        List.of(
            LockPlan.of(Author.class, List.of(2L, 1L)).and(Article.class, List.of(3L, 1L)),
            LockPlan.of(Article.class, List.of(3L, 1L)).and(Author.class, List.of(2L, 1L)));
    for (LockPlan plan : either) {
      rowlock.run(
          work -> {
            unit.log().clear();
            Locked locked = work.lock(plan);

            assertThat(unit.log().work()).hasSize(2);
            assertThat(unit.log().work().get(0))
                .contains("from author e")
                .contains("order by e.id");
            assertThat(unit.log().work().get(1))
                .contains("from article e")
                .contains("order by e.id");
            assertThat(List.copyOf(locked.types())).containsExactly(Author.class, Article.class);
            Map<Long, Author> authors = locked.of(Author.class);
            assertThat(List.copyOf(authors.keySet())).containsExactly(1L, 2L);
            assertThat(locked.get(Article.class, 3L).title).isEqualTo("t");
          });
    }
  }

  @Test
  void the_second_table_is_not_touched_while_the_first_one_is_waited_for() throws Exception {
    Rival holder = db.rival();
    holder.execute("select from author where id = 2 for update");
    Future<Integer> plan =
        Together.start(
            () ->
                rowlock.call(
                    work ->
                        work.lock(
                                LockPlan.of(Article.class, List.of(1L, 2L))
                                    .and(Author.class, List.of(3L, 2L, 1L)))
                            .of(Article.class)
                            .size()));
    db.awaitBlockedBy(holder.pid());

    assertThat(db.column("select id from author where id < 4 for update skip locked"))
        .as("1 is held by the plan, 3 is not yet")
        .containsExactly(3L);
    assertThat(db.column("select id from article where id < 3 order by id for update skip locked"))
        .containsExactly(1L, 2L);
    holder.commit();
    assertThat(Together.get(plan)).isEqualTo(2);
  }

  @Test
  void services_that_touch_two_tables_in_opposite_orders_never_deadlock() throws Exception {
    long deadlocks = db.deadlocks();
    Together.run(
        8,
        thread -> {
          Random random = new Random(thread);
          for (int round = 0; round < 40; round++) {
            List<Long> ids = someOf(20, 6, random);
            rowlock
                .maxAttempts(1)
                .run(
                    work -> {
                      LockPlan plan =
                          thread % 2 == 0
                              ? LockPlan.of(Author.class, ids).and(Article.class, ids)
                              : LockPlan.of(Article.class, ids).and(Author.class, ids);
                      Locked locked = work.lock(plan);
                      Runnable authors =
                          () ->
                              locked.of(Author.class).values().forEach(author -> author.articles++);
                      Runnable articles =
                          () ->
                              locked
                                  .of(Article.class)
                                  .values()
                                  .forEach(article -> article.title += "x");
                      List<Runnable> order = new ArrayList<>(List.of(authors, articles));
                      if (thread % 2 == 0) {
                        Collections.reverse(order);
                      }
                      order.forEach(
                          step -> {
                            step.run();
                            work.entityManager().flush();
                          });
                    });
          }
          return null;
        });

    assertThat(db.number("select sum(ver) from author")).isEqualTo(8 * 40 * 6);
    assertThat(db.number("select sum(ver) from article")).isEqualTo(8 * 40 * 6);
    assertThat(deadlocksReported()).isEqualTo(deadlocks);
  }

  @Test
  void the_same_type_given_twice_is_locked_once() {
    rowlock.run(
        work -> {
          unit.log().clear();
          Locked locked =
              work.lock(
                  LockPlan.of(Author.class, List.of(3L))
                      .and(Author.class, List.of(1L, 3L))
                      .and(Article.class, List.of()));
          assertThat(unit.log().work()).hasSize(1);
          assertThat(List.copyOf(locked.of(Author.class).keySet())).isEqualTo(List.of(1L, 3L));
          assertThat(locked.of(Article.class)).isEmpty();
          assertThatIllegalArgumentException()
              .isThrownBy(() -> locked.of(Remark.class))
              .withMessageContaining(Remark.class.getName());
          assertThatIllegalArgumentException().isThrownBy(() -> locked.get(Author.class, 2L));
        });
  }

  @Test
  void a_plan_without_ids_sends_nothing() {
    rowlock.run(
        work -> {
          unit.log().clear();
          assertThat(work.lock(LockPlan.of(Author.class, List.of())).of(Author.class)).isEmpty();
          assertThat(unit.log().work()).isEmpty();
        });
  }

  @Test
  void the_missing_rows_of_all_types_are_named_together_the_others_are_locked_nothing_is_changed()
      throws Exception {
    rowlock.run(
        work -> {
          MissingRowsException missing =
              catchThrowableOfType(
                  MissingRowsException.class,
                  () ->
                      work.lock(
                          LockPlan.of(Sub.class, List.of(3L, 1L))
                              .and(Article.class, List.of(77L, 2L))
                              .and(Author.class, List.of(1L, 99L, 98L))));

          assertThat(missing.idsByEntity())
              .containsExactly(
                  Map.entry(Author.class, List.of(99L, 98L)),
                  Map.entry(Article.class, List.of(77L)),
                  Map.entry(Sub.class, List.of(3L)));
          assertThat(missing.entity()).isEqualTo(Author.class.getName());
          assertThat(missing.ids()).containsExactly(99L, 98L);
          assertThat(missing)
              .hasMessageContaining("[99, 98]")
              .hasMessageContaining("1 row of " + Article.class.getName())
              .hasMessageContaining("[3]");
          assertThat(column("select id from author where id = 1 for update skip locked")).isEmpty();
          assertThat(column("select id from article where id = 2 for update skip locked"))
              .isEmpty();
          assertThat(column("select id from sub where id = 1 for update skip locked")).isEmpty();
        });
    assertThat(db.number("select sum(ver) from author")).isZero();
  }

  @Test
  void what_is_locked_is_fresh_in_every_type() throws Exception {
    rowlock.run(
        work -> {
          Author author = work.entityManager().find(Author.class, 1L);
          Sec sec = work.entityManager().find(Sec.class, 1L);
          execute("update author set articles = 7, ver = 3 where id = 1");
          execute("update sec2 set b = 'other' where id = 1");
          work.lock(LockPlan.of(Sec.class, List.of(1L)).and(Author.class, List.of(1L)));
          assertThat(author.articles).isEqualTo(7);
          assertThat(sec.b).isEqualTo("other");
          author.articles++;
        });
    assertThat(db.number("select articles from author where id = 1")).isEqualTo(8);
  }

  @Test
  void a_plan_waits_as_it_is_told_and_says_for_which_entity_it_waited_in_vain() throws Exception {
    Rival holder = db.rival();
    holder.execute("select from article where id = 1 for no key update");
    LockPlan plan = LockPlan.of(Article.class, List.of(1L)).and(Author.class, List.of(1L));
    assertThatExceptionOfType(LockNotAvailableException.class)
        .isThrownBy(() -> rowlock.run(work -> work.lock(plan.with(Locking.defaults().noWait()))))
        .withMessageContaining(Article.class.getName());
    rowlock.run(
        work ->
            work.lock(plan.with(Locking.with(LockStrength.KEY_SHARE).noWait())).of(Author.class));
  }

  @Test
  void two_entities_of_one_table_are_locked_in_one_order_of_its_rows() throws Exception {
    Rival holder = db.rival();
    holder.execute("select from article where id = 1 for update");
    Future<Locked> plan =
        Together.start(
            () ->
                rowlock.call(
                    work ->
                        work.lock(
                            LockPlan.of(Article.class, List.of(2L))
                                .and(Title.class, List.of(1L)))));
    db.awaitBlockedBy(holder.pid());
    assertThat(db.column("select id from article where id = 2 for update skip locked"))
        .as("the other entity's row comes first")
        .containsExactly(2L);
    holder.commit();
    Locked locked = Together.get(plan);
    assertThat(locked.of(Article.class).keySet()).isEqualTo(java.util.Set.of(2L));
    assertThat(locked.of(Title.class).keySet()).isEqualTo(java.util.Set.of(1L));
  }

  @Test
  void two_entities_of_one_table_with_different_ids_are_refused_before_anything_is_flushed() {
    rowlock.run(
        work -> {
          work.entityManager().find(Author.class, 1L).articles = 5;
          unit.log().clear();
          assertThatExceptionOfType(UnsupportedMappingException.class)
              .isThrownBy(
                  () ->
                      work.lock(
                          LockPlan.of(Article.class, List.of(1L)).and(ByTitle.class, List.of("t"))))
              .withMessageContaining("table article");
          assertThat(unit.log().work()).isEmpty();
          assertThatIllegalArgumentException()
              .isThrownBy(() -> work.lock(LockPlan.of(Author.class, List.of("no id"))));
          assertThat(unit.log().work()).isEmpty();
        });
  }

  @Test
  void a_class_and_its_subclass_are_locked_in_one_order_of_the_roots_rows() throws Exception {
    Rival holder = db.rival();
    holder.execute("select from base where id = 1 for update");
    Future<Locked> plan =
        Together.start(
            () ->
                rowlock.call(
                    work ->
                        work.lock(
                            LockPlan.of(Sub.class, List.of(2L)).and(Base.class, List.of(3L, 1L)))));
    db.awaitBlockedBy(holder.pid());
    assertThat(db.column("select id from base order by id for update skip locked"))
        .containsExactly(2L, 3L);
    assertThat(db.column("select id from sub order by id for update skip locked"))
        .containsExactly(1L, 2L);
    holder.commit();
    assertThat(Together.get(plan).of(Base.class)).hasSize(2);
  }

  @Test
  void rows_locked_for_update_by_a_plan_can_be_changed_and_deleted_by_any_flush_in_any_order()
      throws Exception {
    // each unit deletes a remark, then its article, then writes both tables of a sec and of a sub
    long deadlocks = db.deadlocks();
    db.execute(
        "insert into article (id, author_id, title) select i, 1, 't' from generate_series(101, 180) i",
        "insert into remark select i, i from generate_series(101, 180) i");
    List<TestUnit> units =
        List.of(
            unit,
            db.unit(Author.class, Article.class, Remark.class, Sec.class, Base.class, Sub.class)
                .property("hibernate.order_updates", "true")
                .property("hibernate.order_inserts", "true")
                .property("hibernate.jdbc.batch_size", "20")
                .open());
    Together.run(
        4,
        thread -> {
          Rowlock mine = Rowlock.of(units.get(thread % 2).factory());
          for (int round = 0; round < 20; round++) {
            long doomed = 101 + thread * 20 + round;
            mine.maxAttempts(1)
                .run(
                    work -> {
                      Locked locked =
                          work.lock(
                              LockPlan.of(Sub.class, List.of(2L, 1L))
                                  .and(Remark.class, List.of(doomed))
                                  .and(Sec.class, List.of(1L, 2L))
                                  .and(Article.class, List.of(doomed, 1L))
                                  .and(Author.class, List.of(1L))
                                  .with(Locking.with(LockStrength.UPDATE)));
                      List<Runnable> steps = new ArrayList<>();
                      locked.of(Sec.class).values().forEach(sec -> steps.add(() -> sec.b += "x"));
                      locked.of(Sec.class).values().forEach(sec -> steps.add(() -> sec.a += "x"));
                      locked.of(Sub.class).values().forEach(sub -> steps.add(() -> sub.sn += "x"));
                      locked.of(Sub.class).values().forEach(sub -> steps.add(() -> sub.bn += "x"));
                      steps.add(() -> locked.get(Author.class, 1L).articles++);
                      steps.add(() -> locked.get(Article.class, 1L).title += "x");
                      Collections.shuffle(steps, new Random(doomed));
                      steps.forEach(
                          step -> {
                            step.run();
                            work.entityManager().flush();
                          });
                      work.entityManager().remove(locked.get(Remark.class, doomed));
                      work.entityManager().remove(locked.get(Article.class, doomed));
                    });
          }
          return null;
        });

    assertThat(db.number("select count(*) from article where id > 100")).isZero();
    assertThat(db.number("select length(b) from sec2 where id = 1")).isEqualTo(1 + 80);
    assertThat(db.number("select length(sn) from sub where id = 2")).isEqualTo(1 + 80);
    assertThat(db.number("select articles from author where id = 1")).isEqualTo(80);
    assertThat(db.deadlocks()).isEqualTo(deadlocks);
  }

  @Test
  void locking_article_and_author_one_by_one_would_deadlock() throws Exception {
    List<Rival> rivals = List.of(db.rival(), db.rival());
    rivals.get(0).execute("select from author where id = 1 for update");
    rivals.get(1).execute("select from article where id = 1 for update");
    Future<Integer> first =
        rivals.get(0).executeAsync("select from article where id = 1 for update");
    db.awaitBlockedBy(rivals.get(1).pid());
    assertThatExceptionOfType(java.sql.SQLException.class)
        .isThrownBy(
            () -> {
              rivals.get(1).execute("select from author where id = 1 for update");
              Together.get(first);
            })
        .satisfies(failure -> assertThat(failure.getSQLState()).isEqualTo("40P01"));
    rivals.forEach(
        rival -> {
          try {
            rival.rollback();
          } catch (java.sql.SQLException e) {
            throw new AssertionError(e);
          }
        });
    try {
      Together.get(first);
    } catch (Exception e) {
      assertThat(e).isInstanceOf(java.sql.SQLException.class);
    }
  }

  private static List<Object> column(String sql) {
    try {
      return db.column(sql);
    } catch (java.sql.SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static void execute(String sql) {
    try {
      db.execute(sql);
    } catch (java.sql.SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static List<Long> someOf(int rows, int wanted, Random random) {
    List<Long> ids = new ArrayList<>(LongStream.rangeClosed(1, rows).boxed().toList());
    Collections.shuffle(ids, random);
    return List.copyOf(ids.subList(0, wanted));
  }

  /** Backends report their counts at the latest when they end. */
  private static long deadlocksReported() throws Exception {
    unit.close();
    Await.until(
        "the unit's backends have ended",
        () ->
            db.number(
                    "select count(*) from pg_stat_activity where application_name = ?"
                        + " and pid <> pg_backend_pid()",
                    db.schema())
                == 0);
    open();
    return db.deadlocks();
  }
}
