package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.MissingRowsException;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.hibernate.RowLocks;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.hibernate.annotations.Formula;
import org.hibernate.annotations.SQLRestriction;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.TenantId;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * C1 to C3 for mappings that one statement on one table does not do: all locked, in one order, or
 * refused.
 */
class LockedMappingsIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table author (id bigint primary key, name text)",
          "create table book (id bigint primary key, author_id bigint references author, n int)",
          "create table label (box_id bigint, labels text)",
          "create table box (id bigint primary key, n int)",
          "create table sec (id bigint primary key, a text)",
          "create table sec2 (id bigint primary key references sec, b text)",
          "create table base (id bigint primary key, bn text, ver int not null default 0)",
          "create table sub (id bigint primary key references base, sn text)",
          "create table animal (id bigint primary key, kind text, name text, ver int not null)",
          "create table post (id bigint primary key, note text, gone boolean not null, ver int)",
          "create table soft (id bigint primary key, note text, deleted boolean not null)",
          "create table tenanted (id bigint primary key, tenant text not null, ver int not null)",
          "create table computed (id bigint primary key, n int)");

  @Entity(name = "author")
  static class Author {
    @Id Long id;
    String name;
  }

  @Entity(name = "book")
  static class Book {
    @Id Long id;
    @ManyToOne Author author;
    int n;
  }

  /** The same table without the association. */
  @Entity(name = "plainbook")
  @Table(name = "book")
  static class PlainBook {
    @Id Long id;
    int n;
  }

  @Entity(name = "box")
  static class Box {
    @Id Long id;
    int n;

    @ElementCollection(fetch = FetchType.EAGER)
    @jakarta.persistence.CollectionTable(name = "label")
    List<String> labels = new ArrayList<>();
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
    @Version int ver;
  }

  @Entity(name = "sub")
  static class Sub extends Base {
    String sn;
  }

  @Entity(name = "animal")
  @jakarta.persistence.DiscriminatorColumn(name = "kind")
  static class Animal {
    @Id Long id;
    @Version int ver;
  }

  @Entity(name = "dog")
  static class Dog extends Animal {
    String name;
  }

  @Entity(name = "post")
  @SQLRestriction("gone = false")
  static class Post {
    @Id Long id;
    String note;
    boolean gone;
    @Version Integer ver;
  }

  @Entity(name = "soft")
  @SoftDelete
  static class Soft {
    @Id Long id;
    String note;
  }

  @Entity(name = "tenanted")
  static class Tenanted {
    @Id Long id;
    @TenantId String tenant;
    @Version int ver;
  }

  @Entity(name = "queried")
  @Subselect("select id from author")
  static class Queried {
    @Id Long id;
  }

  @Entity
  @Table(name = "computed")
  static class Computed {
    @Id Long id;
    int n;

    @Formula("(select count(*) from author)")
    int authors;
  }

  static TestUnit unit;
  static final RowLocks locks = new RowLocks();

  @BeforeAll
  static void open() {
    unit =
        db.unit(
                Author.class,
                Book.class,
                PlainBook.class,
                Box.class,
                Sec.class,
                Base.class,
                Sub.class,
                Animal.class,
                Dog.class,
                Post.class,
                Soft.class,
                Queried.class,
                Computed.class)
            .recording()
            .open();
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "truncate author, book, box, label, sec, sec2, base, sub, animal, post, soft, tenanted,"
            + " computed",
        "insert into author values (1, 'one'), (2, 'two')",
        "insert into book values (2, 1, 0), (1, 2, 0), (3, null, 0)",
        "insert into box values (1, 0), (2, 0)",
        "insert into label values (1, 'x'), (1, 'y')",
        "insert into sec values (2, 'a2'), (1, 'a1')",
        "insert into sec2 values (1, 'b1')",
        "insert into base (id) values (3), (2), (1)",
        "insert into sub values (2), (1)",
        "insert into animal values (1, 'dog', 'rex', 0), (2, 'animal', null, 0)",
        "insert into post values (1, 'x', false, 0), (2, 'x', true, 0), (3, 'x', false, 0)",
        "insert into soft values (1, 'x', false), (2, 'x', true)",
        "insert into tenanted values (1, 'mine', 0), (2, 'theirs', 0)",
        "insert into computed values (1, 0)");
  }

  @Test
  void an_entity_with_an_eager_association_is_locked_in_order_and_loaded_with_its_join()
      throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          Map<Long, Book> locked = lock(em, Book.class, 2L, 3L, 1L);

          assertThat(unit.log().work()).hasSize(2);
          assertThat(unit.log().work().get(0)).contains("order by e.id for no key update");
          assertThat(unit.log().work().get(1)).doesNotContain("for no key update");
          assertThat(List.copyOf(locked.keySet())).containsExactly(1L, 2L, 3L);
          assertThat(locked.get(1L).author.name).isEqualTo("two");
          unit.log().clear();
          lock(em, Book.class, 1L, 2L, 3L);
        });
  }

  @Test
  void two_mappings_of_one_table_lock_its_rows_in_the_same_order() throws Exception {
    long deadlocks = db.deadlocks();
    Rival holder = db.rival();
    holder.execute("select id from book where id = 1 for update");
    Future<Map<Long, PlainBook>> plain =
        Together.start(() -> Transaction.call(unit, em -> lock(em, PlainBook.class, 2L, 1L)));
    int first = db.awaitBlockedBy(holder.pid());
    Future<Map<Long, Book>> eager =
        Together.start(() -> Transaction.call(unit, em -> lock(em, Book.class, 2L, 1L)));
    db.awaitBlockedBy(first);
    assertThat(db.column("select id from book where id = 2 for update skip locked"))
        .as("nobody holds 2 yet")
        .containsExactly(2L);
    holder.commit();

    Together.get(plain);
    Together.get(eager);
    assertThat(db.deadlocks()).isEqualTo(deadlocks);
  }

  @Test
  void an_entity_with_an_eager_collection_is_locked_and_loaded_once_each() throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          Map<Long, Box> locked = lock(em, Box.class, 2L, 1L);
          assertThat(unit.log().work()).hasSize(2);
          assertThat(locked).hasSize(2);
          assertThat(locked.get(1L).labels).containsExactlyInAnyOrder("x", "y");
        });
  }

  @Test
  void an_eager_entity_whose_row_is_deleted_while_the_lock_waits_is_missing() throws Exception {
    Rival rival = db.rival();
    rival.execute("delete from book where id = 2");
    Future<MissingRowsException> batch =
        Together.start(
            () ->
                Transaction.call(
                    unit,
                    em ->
                        catchThrowableOfType(
                            MissingRowsException.class, () -> lock(em, Book.class, 1L, 2L))));
    db.awaitBlockedBy(rival.pid());
    rival.commit();

    assertThat(Together.get(batch).ids()).containsExactly(2L);
  }

  @Test
  void a_stale_instance_with_an_eager_association_is_fresh() throws Exception {
    Transaction.run(
        unit,
        em -> {
          Book stale = em.find(Book.class, 1L);
          db.execute("update book set n = 7, author_id = 1 where id = 1");
          assertThat(lock(em, Book.class, 1L).get(1L)).isSameAs(stale);
          assertThat(stale.n).isEqualTo(7);
          assertThat(stale.author.name).isEqualTo("one");
        });
  }

  @Test
  void both_tables_of_an_entity_with_a_secondary_table_are_locked_the_primary_one_first()
      throws Exception {
    Rival holder = db.rival();
    holder.execute("select id from sec2 where id = 1 for update");
    Future<Map<Long, Sec>> batch =
        Together.start(() -> Transaction.call(unit, em -> lock(em, Sec.class, 2L, 1L)));
    db.awaitBlockedBy(holder.pid());
    assertThat(db.column("select id from sec for update skip locked")).isEmpty();
    holder.commit();

    Map<Long, Sec> locked = Together.get(batch);
    assertThat(locked.get(1L).b).isEqualTo("b1");
    assertThat(locked.get(2L).b).as("without an optional row").isNull();
    Transaction.run(
        unit,
        em -> {
          lock(em, Sec.class, 1L);
          assertThat(db.column("select id from sec2 for update skip locked")).isEmpty();
        });
  }

  @Test
  void a_lock_and_a_plain_change_of_two_tables_take_turns() throws Exception {
    long deadlocks = db.deadlocks();
    Rival holder = db.rival();
    holder.execute("select id from sec2 where id = 1 for update");
    Future<Map<Long, Sec>> batch =
        Together.start(() -> Transaction.call(unit, em -> lock(em, Sec.class, 1L)));
    int locking = db.awaitBlockedBy(holder.pid());
    Future<Object> change =
        Together.start(
            () ->
                Transaction.call(
                    unit,
                    em -> {
                      Sec sec = em.find(Sec.class, 1L);
                      sec.a = "changed";
                      sec.b = "changed";
                      return null;
                    }));
    db.awaitBlockedBy(locking);
    holder.commit();

    Together.get(batch);
    Together.get(change);
    assertThat(db.one("select b from sec2 where id = 1")).isEqualTo("changed");
    assertThat(db.deadlocks()).isEqualTo(deadlocks);
  }

  @Test
  void every_table_of_a_joined_hierarchy_is_locked_whichever_class_is_asked_for() throws Exception {
    for (Class<? extends Base> type : List.of(Base.class, Sub.class)) {
      Transaction.run(
          unit,
          em -> {
            unit.log().clear();
            Map<Long, ? extends Base> locked = lock(em, type, 2L, 1L);
            assertThat(unit.log().work()).hasSize(3);
            assertThat(locked.values()).allMatch(Sub.class::isInstance);
            assertThat(List.copyOf(locked.keySet())).containsExactly(1L, 2L);
            assertThat(db.column("select id from base for update skip locked")).containsExactly(3L);
            assertThat(db.column("select id from sub for update skip locked")).isEmpty();
          });
    }
  }

  @Test
  void units_that_write_a_joined_hierarchy_in_different_orders_take_turns() throws Exception {
    TestUnit batching =
        db.unit(Base.class, Sub.class)
            .property("hibernate.jdbc.batch_size", "20")
            .property("hibernate.order_updates", "true")
            .open();
    Together.run(
        4,
        thread -> {
          for (int round = 0; round < 25; round++) {
            String text = thread + "/" + round;
            Transaction.run(
                thread % 2 == 0 ? unit : batching,
                em -> {
                  List<Sub> subs = new ArrayList<>(lock(em, Sub.class, 1L, 2L).values());
                  if (thread % 2 == 0) {
                    java.util.Collections.reverse(subs);
                  }
                  for (Sub sub : subs) {
                    sub.sn = text;
                    sub.bn = text;
                    if (thread % 2 == 0) {
                      em.flush();
                    }
                  }
                });
          }
          return null;
        });

    assertThat(db.column("select ver from base where id in (1, 2)")).containsExactly(100, 100);
  }

  @Test
  void a_row_of_the_root_that_is_not_of_the_joined_subclass_is_missing() throws Exception {
    Transaction.run(
        unit,
        em -> {
          assertThat(missing(() -> lock(em, Sub.class, 1L, 3L))).containsExactly(3L);
          assertThat(missing(() -> locks.incrementVersions(em, Sub.class, List.of(1L, 3L))))
              .containsExactly(3L);
          assertThat(locks.incrementVersions(em, Sub.class, List.of(1L, 2L)))
              .isEqualTo(Map.of(1L, 1L, 2L, 1L));
          assertThat(locks.incrementVersions(em, Base.class, List.of(1L, 3L)))
              .isEqualTo(Map.of(1L, 2L, 3L, 1L));
        });
  }

  @Test
  void a_row_of_another_class_in_the_same_table_is_missing() throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          Map<Long, Animal> animals = lock(em, Animal.class, 2L, 1L);
          assertThat(unit.log().work()).hasSize(1);
          assertThat(animals.get(1L))
              .isInstanceOfSatisfying(Dog.class, dog -> assertThat(dog.name).isEqualTo("rex"));
          assertThat(missing(() -> lock(em, Dog.class, 1L, 2L))).containsExactly(2L);
          assertThat(missing(() -> locks.incrementVersions(em, Dog.class, List.of(1L, 2L))))
              .containsExactly(2L);
          assertThat(locks.incrementVersions(em, Dog.class, List.of(1L))).isEqualTo(Map.of(1L, 1L));
        });
    assertThat(db.number("select ver from animal where id = 2")).isZero();
  }

  @Test
  void a_row_that_the_restriction_hides_is_missing_managed_or_not() throws Exception {
    Transaction.run(
        unit,
        em -> {
          Post managed = em.find(Post.class, 1L);
          db.execute("update post set gone = true, note = 'y' where id = 1");
          assertThat(missing(() -> lock(em, Post.class, 1L, 2L, 3L))).containsExactly(1L, 2L);
          assertThat(missing(() -> locks.incrementVersions(em, Post.class, List.of(1L, 3L))))
              .containsExactly(1L);
          assertThat(em.contains(managed)).isTrue();
          assertThat(lock(em, Post.class, 3L)).hasSize(1);
          assertThat(em.getTransaction().getRollbackOnly()).isFalse();
        });
  }

  @Test
  void a_softly_deleted_row_is_missing() throws Exception {
    Transaction.run(
        unit,
        em -> {
          assertThat(missing(() -> lock(em, Soft.class, 2L, 1L))).containsExactly(2L);
          em.remove(lock(em, Soft.class, 1L).get(1L));
          assertThat(missing(() -> lock(em, Soft.class, 1L))).containsExactly(1L);
        });
  }

  @Test
  void a_restriction_is_evaluated_under_the_lock() throws Exception {
    Rival rival = db.rival();
    rival.execute("update post set gone = false where id = 2");
    Future<Map<Long, Post>> batch =
        Together.start(() -> Transaction.call(unit, em -> lock(em, Post.class, 2L)));
    db.awaitBlockedBy(rival.pid());
    rival.commit();

    assertThat(Together.get(batch).get(2L).gone).isFalse();
  }

  @Test
  void a_row_of_another_tenant_is_missing() throws Exception {
    TestUnit mine =
        db.unit(Tenanted.class).property("hibernate.tenant_identifier_resolver", new Mine()).open();
    Transaction.run(
        mine,
        em -> {
          assertThat(missing(() -> lock(em, Tenanted.class, 1L, 2L))).containsExactly(2L);
          assertThat(missing(() -> locks.incrementVersions(em, Tenanted.class, List.of(2L))))
              .containsExactly(2L);
          assertThat(lock(em, Tenanted.class, 1L)).hasSize(1);
        });
    assertThat(db.number("select sum(ver) from tenanted")).isZero();
  }

  static final class Mine
      implements org.hibernate.context.spi.CurrentTenantIdentifierResolver<String> {
    @Override
    public String resolveCurrentTenantIdentifier() {
      return "mine";
    }

    @Override
    public boolean validateExistingCurrentSessions() {
      return false;
    }
  }

  @Test
  void what_is_computed_from_other_rows_is_read_after_the_lock() throws Exception {
    Rival rival = db.rival();
    rival.execute("update computed set n = 1 where id = 1");
    rival.execute("insert into author values (3)");
    Future<Map<Long, Computed>> batch =
        Together.start(() -> Transaction.call(unit, em -> lock(em, Computed.class, 1L)));
    db.awaitBlockedBy(rival.pid());
    rival.commit();

    assertThat(Together.get(batch).get(1L).authors).isEqualTo(3);
  }

  @Test
  void an_entity_of_a_query_is_refused() throws Exception {
    Transaction.run(
        unit,
        em ->
            assertThatExceptionOfType(UnsupportedMappingException.class)
                .isThrownBy(() -> lock(em, Queried.class, 1L))
                .withMessageContaining("@Subselect"));
  }

  private static <E> Map<Long, E> lock(
      jakarta.persistence.EntityManager em, Class<E> type, Long... ids) {
    return locks.lock(em, type, List.of(ids), Locking.defaults());
  }

  private static List<Object> missing(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    return catchThrowableOfType(MissingRowsException.class, call).ids();
  }
}
