package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.TableGenerator;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B2: one statement, whether the row is there or not; an existing row costs no id. */
class B2FewStatementsIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Page.TABLE,
          Item.TABLE[0],
          Item.TABLE[1],
          "create sequence small_seq as smallint",
          "create table small (id smallint primary key, code text not null unique)",
          "create table generator (name text primary key, next bigint)",
          "create table counted (id bigint primary key, code text not null unique, note text)");

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit = db.unit(Page.class, Item.class, Small.class, Counted.class).recording().open();
    create = new Creating(unit);
    // what the catalog says is asked for at the first use
    create.getOrCreate(new Page("first", null));
    create.getOrCreate(new Item("first", null));
    create.getOrCreate(new Small("first"));
    create.getOrCreate(new Counted("first"));
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate page, item, small, counted");
  }

  @Test
  void a_new_row_is_one_statement_and_an_existing_one_too() throws Exception {
    assertThat(statements(() -> create.getOrCreate(new Page("a", "x")))).hasSize(1);
    assertThat(statements(() -> create.getOrCreate(new Page("a", "x")))).hasSize(1);
    assertThat(statements(() -> create.insertIfAbsent(new Page("a", "x")))).hasSize(1);
    assertThat(statements(() -> create.insertIfAbsent(new Page("b", "x")))).hasSize(1);
    assertThat(statements(() -> create.upsert(new Page("a", "y")))).hasSize(1);
    assertThat(statements(() -> create.upsert(new Page("a", "y")))).hasSize(1);
    assertThat(statements(() -> create.upsert(new Page("c", "y")))).hasSize(1);
    assertThat(db.number("select count(*) from page")).isEqualTo(3);
  }

  @Test
  void a_lost_race_is_one_statement_more() throws Exception {
    Rival rival = db.rival();
    rival.execute("insert into page (slug, title, version) values ('race', 'rival', 0)");
    unit.log().clear();
    Future<GetOrCreateResult<Page>> waiting =
        Together.start(() -> create.getOrCreate(new Page("race", "mine")));
    db.awaitBlockedBy(rival.pid());
    rival.commit();

    Together.get(waiting);
    assertThat(unit.log().work()).hasSize(2);
  }

  @Test
  void an_existing_row_draws_nothing_from_the_sequence() throws Exception {
    create.getOrCreate(new Item("there", "x"));
    long before = db.number("select last_value from item_seq");
    for (int i = 0; i < 10_000; i++) {
      create.getOrCreate(new Item("there", "x"));
    }
    create.insertIfAbsent(new Item("there", "x"));
    create.upsert(new Item("there", "y"));
    assertThat(db.number("select last_value from item_seq")).isEqualTo(before);
  }

  @Test
  void an_existing_row_draws_nothing_from_an_identity() throws Exception {
    Long id = create.getOrCreate(new Page("there", "x")).entity().id;
    for (int i = 0; i < 100; i++) {
      create.getOrCreate(new Page("there", "x"));
      create.insertIfAbsent(new Page("there", "x"));
      create.upsert(new Page("there", "x"));
    }
    assertThat(create.getOrCreate(new Page("next", "x")).entity().id).isEqualTo(id + 1);
  }

  @Test
  void an_exhausted_sequence_does_not_matter_to_an_existing_row() throws Exception {
    create.getOrCreate(new Small("there"));
    db.execute("select setval('small_seq', 32767)");
    assertThat(create.getOrCreate(new Small("there")).created()).isFalse();
    assertThat(create.upsert(new Small("there")).outcome()).isEqualTo(Outcome.UNCHANGED);
  }

  @Test
  void new_rows_with_a_pooled_sequence_are_one_statement_and_share_its_values() throws Exception {
    long before = db.number("select last_value from item_seq");
    Set<Long> ids = new HashSet<>();
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      int n = i;
      sent.addAll(
          statements(() -> ids.add(create.getOrCreate(new Item("new" + n, "x")).entity().id)));
    }
    assertThat(ids).hasSize(200).allMatch(id -> id > 0);
    assertThat(sent).hasSize(200);
    assertThat(db.number("select last_value from item_seq") - before).isLessThanOrEqualTo(250);
  }

  @Test
  void ids_of_hibernate_and_of_two_processes_are_never_given_out_twice() throws Exception {
    TestUnit second = db.unit(Item.class).open();
    Creating other = new Creating(second);
    Together.run(
        8,
        thread -> {
          for (int i = 0; i < 60; i++) {
            String code = thread + "-" + i;
            switch (thread % 4) {
              case 0 -> create.getOrCreate(new Item(code, "x"));
              case 1 -> other.upsert(new Item(code, "x"));
              case 2 -> unit.factory().runInTransaction(em -> em.persist(new Item(code, "x")));
              default -> second.factory().runInTransaction(em -> em.persist(new Item(code, "x")));
            }
          }
          return null;
        });
    assertThat(db.number("select count(distinct id) from item")).isEqualTo(480);
    assertThat(db.number("select min(id) from item")).isPositive();
  }

  @Test
  void an_id_that_costs_a_query_is_made_only_once_the_row_is_known_to_be_missing()
      throws Exception {
    create.getOrCreate(new Counted("there"));
    long before = db.number("select next from generator");
    for (int i = 0; i < 20; i++) {
      assertThat(statements(() -> create.getOrCreate(new Counted("there")))).hasSize(1);
      assertThat(statements(() -> create.upsert(new Counted("there")))).hasSize(1);
      create.insertIfAbsent(new Counted("there"));
    }
    assertThat(db.number("select next from generator")).isEqualTo(before);
    assertThat(create.getOrCreate(new Counted("new")).created()).isTrue();
    assertThat(create.upsert(new Counted("newer")).outcome()).isEqualTo(Outcome.CREATED);
    assertThat(create.insertIfAbsent(new Counted("newest")).inserted()).isTrue();
  }

  private static List<String> statements(Callable<?> call) throws Exception {
    unit.log().clear();
    call.call();
    return unit.log().work();
  }

  @Entity(name = "small")
  static class Small {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "small")
    @SequenceGenerator(name = "small", sequenceName = "small_seq", allocationSize = 1)
    Short id;

    @Column(unique = true)
    String code;

    protected Small() {}

    Small(String code) {
      this.code = code;
    }
  }

  @Entity(name = "counted")
  static class Counted {
    @Id
    @GeneratedValue(strategy = GenerationType.TABLE, generator = "counted")
    @TableGenerator(
        name = "counted",
        table = "generator",
        pkColumnName = "name",
        valueColumnName = "next",
        allocationSize = 1)
    Long id;

    @Column(unique = true)
    String code;

    String note;

    protected Counted() {}

    Counted(String code) {
      this.code = code;
    }
  }
}
