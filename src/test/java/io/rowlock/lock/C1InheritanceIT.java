package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.MissingRowsException;
import io.rowlock.internal.hibernate.RowLocks;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.Version;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * C1 for the three inheritance strategies: the order is the database's, and no lock is moved into a
 * statement without an order.
 */
class C1InheritanceIT {

  private static final UUID LOW = UUID.fromString("7fffffff-0000-0000-0000-000000000001");
  private static final UUID HIGH = UUID.fromString("80000000-0000-0000-0000-000000000001");

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table animal (id uuid primary key, dtype text, name text, lives int,"
              + " ver int not null default 0)",
          "create table vehicle (id uuid primary key, wheels int, ver int not null default 0)",
          "create table lorry (id uuid primary key references vehicle, load int)",
          "create table trailer (id uuid primary key references vehicle, hitch text)",
          "create table shape (id bigint primary key, name text, ver int not null default 0)",
          "create table square (id bigint primary key, name text, side int,"
              + " ver int not null default 0)",
          "create table circle (id bigint primary key, name text, radius int,"
              + " ver int not null default 0)");

  @Entity(name = "animal")
  static class Animal {
    @Id UUID id;
    String name;
    @Version int ver;
  }

  @Entity(name = "Cat")
  static class Cat extends Animal {
    Integer lives;
  }

  @Entity(name = "Dog")
  static class Dog extends Animal {}

  @Entity(name = "vehicle")
  @Inheritance(strategy = InheritanceType.JOINED)
  static class Vehicle {
    @Id UUID id;
    Integer wheels;
    @Version int ver;
  }

  @Entity(name = "lorry")
  static class Lorry extends Vehicle {
    Integer load;
  }

  @Entity(name = "trailer")
  static class Trailer extends Vehicle {
    String hitch;
  }

  @Entity(name = "shape")
  @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
  static class Shape {
    @Id Long id;
    String name;
    @Version int ver;
  }

  @Entity(name = "square")
  static class Square extends Shape {
    Integer side;
  }

  @Entity(name = "circle")
  static class Circle extends Shape {
    Integer radius;
  }

  static TestUnit unit;
  static final RowLocks locks = new RowLocks();

  @BeforeAll
  static void open() {
    unit =
        db.unit(
                Animal.class,
                Cat.class,
                Dog.class,
                Vehicle.class,
                Lorry.class,
                Trailer.class,
                Shape.class,
                Square.class,
                Circle.class)
            .recording()
            .open();
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "truncate animal, vehicle, lorry, trailer, shape, square, circle",
        "insert into animal values ('"
            + HIGH
            + "', 'Cat', 'tom', 9), ('"
            + LOW
            + "', 'Dog', 'rex', null)",
        "insert into vehicle values ('" + HIGH + "', 6), ('" + LOW + "', 2)",
        "insert into lorry values ('" + HIGH + "', 40)",
        "insert into trailer values ('" + LOW + "', 'ball')",
        "insert into shape values (5, 'plain')",
        "insert into square values (4, 's4', 4), (2, 's2', 2)",
        "insert into circle values (3, 'c3', 3), (1, 'c1', 1)");
  }

  @Test
  void a_single_table_is_one_statement_that_reads_every_class() throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          Map<UUID, Animal> locked = lock(em, Animal.class, List.of(HIGH, LOW));
          assertThat(unit.log().work())
              .singleElement()
              .asString()
              .endsWith("order by e.id for no key update of e) x");
          assertThat(List.copyOf(locked.keySet())).containsExactly(LOW, HIGH);
          assertThat(locked.get(HIGH))
              .isInstanceOfSatisfying(
                  Cat.class,
                  cat -> {
                    assertThat(cat.lives).isEqualTo(9);
                    assertThat(cat.name).isEqualTo("tom");
                  });
          assertThat(locked.get(LOW)).isInstanceOf(Dog.class);
        });
  }

  @Test
  void the_rows_of_a_single_table_wait_in_the_databases_order_of_uuids() throws Exception {
    waitsForLowWithoutHoldingHigh(Animal.class, "animal");
    waitsForLowWithoutHoldingHigh(Vehicle.class, "vehicle");
  }

  private void waitsForLowWithoutHoldingHigh(Class<?> type, String table) throws Exception {
    Rival holder = db.rival();
    holder.execute("select from " + table + " where id = ? for update", LOW);
    Future<List<Object>> batch = Together.start(() -> locked(type, List.of(HIGH, LOW)));
    db.awaitBlockedBy(holder.pid());
    assertThat(db.column("select id from " + table + " for update skip locked"))
        .as("in Java, the high one would come first")
        .containsExactly(HIGH);
    holder.commit();
    assertThat(Together.get(batch)).containsExactly(LOW, HIGH);
  }

  @Test
  void no_table_of_a_joined_hierarchy_is_touched_before_the_root_is_locked() throws Exception {
    Rival holder = db.rival();
    holder.execute("select from vehicle where id = ? for update", HIGH);
    Future<List<Object>> batch = Together.start(() -> locked(Vehicle.class, List.of(HIGH, LOW)));
    db.awaitBlockedBy(holder.pid());
    assertThat(db.column("select id from vehicle for update skip locked")).isEmpty();
    assertThat(db.column("select id from lorry for update skip locked")).containsExactly(HIGH);
    assertThat(db.column("select id from trailer for update skip locked")).containsExactly(LOW);
    holder.commit();
    assertThat(Together.get(batch)).hasSize(2);
  }

  @Test
  void every_lock_of_a_joined_hierarchy_has_an_order() throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          assertThat(lock(em, Vehicle.class, List.of(HIGH, LOW)).values())
              .hasOnlyElementsOfTypes(Lorry.class, Trailer.class);
          assertThat(unit.log().work().subList(0, 3))
              .allMatch(sql -> sql.contains("order by e.id for no key update of e"));
          assertThat(unit.log().work().get(3)).doesNotContain("for no key update");
        });
  }

  @Test
  void the_tables_of_table_per_class_are_locked_one_after_the_other_each_in_order_of_its_ids()
      throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          Map<Long, Shape> locked = lock(em, Shape.class, List.of(5L, 4L, 3L, 2L, 1L));
          assertThat(List.copyOf(locked.keySet())).containsExactly(1L, 3L, 5L, 2L, 4L);
          assertThat(locked.get(3L))
              .isInstanceOfSatisfying(
                  Circle.class, circle -> assertThat(circle.radius).isEqualTo(3));
          assertThat(locked.get(4L)).isInstanceOf(Square.class);
          assertThat(unit.log().work().subList(0, 3))
              .allMatch(sql -> sql.contains("order by e.id for no key update of e"));
          assertThat(unit.log().work()).hasSize(4);
        });
  }

  @Test
  void a_later_table_of_table_per_class_is_not_touched_while_an_earlier_one_is_waited_for()
      throws Exception {
    Rival holder = db.rival();
    holder.execute("select from circle where id = 3 for update");
    Future<List<Object>> batch = Together.start(() -> locked(Shape.class, List.of(2L, 3L, 1L, 4L)));
    db.awaitBlockedBy(holder.pid());
    assertThat(db.column("select id from circle for update skip locked"))
        .as("1 is held by the batch")
        .isEmpty();
    assertThat(db.column("select id from square order by id for update skip locked"))
        .containsExactly(2L, 4L);
    holder.commit();
    assertThat(Together.get(batch)).containsExactly(1L, 3L, 2L, 4L);
  }

  @Test
  void a_row_in_none_of_the_tables_is_missing_and_a_subclass_has_only_its_own() throws Exception {
    Transaction.run(
        unit,
        em -> {
          assertThat(missing(() -> lock(em, Shape.class, List.of(1L, 9L, 2L)))).containsExactly(9L);
          assertThat(missing(() -> lock(em, Circle.class, List.of(1L, 2L)))).containsExactly(2L);
          assertThat(lock(em, Circle.class, List.of(3L)).get(3L).radius).isEqualTo(3);
        });
  }

  @Test
  void versions_of_table_per_class_are_raised_in_each_table() throws Exception {
    Transaction.run(
        unit,
        em -> {
          Map<Long, Long> raised = locks.incrementVersions(em, Shape.class, List.of(4L, 3L, 5L));
          assertThat(List.copyOf(raised.keySet())).containsExactly(3L, 5L, 4L);
          assertThat(raised.values()).containsOnly(1L);
        });
    assertThat(
            db.number(
                "select sum(ver) from (table_versions) v"
                    .replace(
                        "table_versions",
                        "select ver from shape union all select ver from square union all select ver from circle")))
        .isEqualTo(3);
  }

  @Test
  void units_that_change_any_class_of_table_per_class_never_deadlock() throws Exception {
    long deadlocks = db.deadlocks();
    Together.run(
        4,
        thread -> {
          Random random = new Random(thread);
          for (int round = 0; round < 40; round++) {
            List<Long> ids = new java.util.ArrayList<>(List.of(1L, 2L, 3L, 4L, 5L));
            java.util.Collections.shuffle(ids, random);
            Transaction.run(
                unit,
                em ->
                    lock(em, Shape.class, ids.subList(0, 3))
                        .values()
                        .forEach(shape -> shape.name += "x"));
          }
          return null;
        });
    assertThat(
            db.number(
                "select sum(ver) from (select ver from shape union all select ver from square"
                    + " union all select ver from circle) v"))
        .isEqualTo(4 * 40 * 3);
    assertThat(db.deadlocks()).isEqualTo(deadlocks);
  }

  private static List<Object> missing(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    return catchThrowableOfType(MissingRowsException.class, call).ids();
  }

  private static <K, E> Map<K, E> lock(EntityManager em, Class<E> type, List<? extends K> ids) {
    return locks.lock(em, type, ids, Locking.defaults());
  }

  private static List<Object> locked(Class<?> type, List<?> ids) throws Exception {
    return Transaction.call(
        unit,
        em -> {
          Map<Object, ?> locked = lock(em, type, ids);
          return List.copyOf(locked.keySet());
        });
  }
}
