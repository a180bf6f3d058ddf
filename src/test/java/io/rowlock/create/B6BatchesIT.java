package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.lock.LockStrength;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hibernate.annotations.DynamicInsert;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B6: many rows at once, each key once, in one order, in few statements. */
class B6BatchesIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Page.TABLE,
          Item.TABLE[0],
          Item.TABLE[1],
          "create table label (id bigint primary key, name text collate \"C\" not null unique,"
              + " note text not null default 'made by the default')",
          "create extension if not exists citext schema public",
          "create table folded (id bigint primary key, name public.citext not null unique)");

  static TestUnit unit;
  static Rowlock rowlock;

  /** Columns without a value are left to the database, so statements differ from row to row. */
  @Entity(name = "label")
  @DynamicInsert
  static class Label {
    @Id Long id;

    @Column(unique = true)
    String name;

    String note;

    Label() {}

    Label(long id, String name, String note) {
      this.id = id;
      this.name = name;
      this.note = note;
    }
  }

  /** The database ignores case, Java does not. */
  @Entity(name = "folded")
  static class Folded {
    @Id Long id;

    @Column(unique = true)
    String name;

    Folded() {}

    Folded(long id, String name) {
      this.id = id;
      this.name = name;
    }
  }

  @BeforeAll
  static void open() {
    unit = db.unit(Page.class, Item.class, Label.class, Folded.class).recording().open();
    rowlock = Rowlock.of(unit.factory());
    // what the catalog says is asked for at the first use
    rowlock.run(work -> work.insertIfAbsentAll(pages("first")));
    rowlock.run(work -> work.insertIfAbsentAll(List.of(new Item("first", "x"))));
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate page, item, label, folded");
  }

  // Answers

  @Test
  void rows_that_are_new_and_rows_that_are_there_are_answered_in_the_order_of_the_call()
      throws Exception {
    rowlock.run(work -> work.getOrCreate(new Page("b", "there")));

    List<GetOrCreateResult<Page>> answers =
        rowlock.call(work -> work.getOrCreateAll(pages("c", "b", "a")));

    assertThat(answers).extracting(a -> a.entity().slug).containsExactly("c", "b", "a");
    assertThat(answers).extracting(GetOrCreateResult::created).containsExactly(true, false, true);
    assertThat(answers.get(1).entity().title).isEqualTo("there");
    assertThat(db.column("select slug || ':' || title from page order by slug"))
        .containsExactly("a:title of a", "b:there", "c:title of c");
  }

  @Test
  void candidates_with_one_key_share_a_row_of_the_first_one() throws Exception {
    List<GetOrCreateResult<Page>> answers =
        rowlock.call(
            work ->
                work.getOrCreateAll(
                    List.of(new Page("a", "1"), new Page("b", "2"), new Page("a", "3"))));

    assertThat(answers.get(2).entity()).isSameAs(answers.get(0).entity());
    assertThat(answers).extracting(GetOrCreateResult::created).containsExactly(true, true, false);
    assertThat(db.one("select title from page where slug = 'a'")).isEqualTo("1");
  }

  @Test
  void which_keys_are_one_is_for_the_database_to_say() throws Exception {
    List<GetOrCreateResult<Folded>> answers =
        rowlock.call(
            work ->
                work.getOrCreateAll(
                    List.of(new Folded(1, "Ab"), new Folded(2, "aB"), new Folded(3, "b"))));

    assertThat(answers.get(1).entity()).isSameAs(answers.get(0).entity());
    assertThat(answers).extracting(a -> a.entity().name).containsExactly("Ab", "Ab", "b");
    assertThat(db.number("select count(*) from folded")).isEqualTo(2);
  }

  @Test
  void a_skipped_insert_answers_no_row_and_a_duplicate_is_skipped() throws Exception {
    rowlock.run(work -> work.getOrCreate(new Page("b", "there")));

    List<InsertResult<Page>> answers =
        rowlock.call(work -> work.insertIfAbsentAll(pages("c", "b", "a", "c")));

    assertThat(answers)
        .extracting(InsertResult::inserted)
        .containsExactly(true, false, true, false);
    assertThat(answers.get(1).entity()).isEmpty();
    assertThat(answers.get(2).entity().orElseThrow().slug).isEqualTo("a");
    assertThat(db.one("select title from page where slug = 'b'")).isEqualTo("there");
  }

  @Test
  void an_upsert_tells_created_updated_and_unchanged_apart_and_the_last_duplicate_counts()
      throws Exception {
    rowlock.run(
        work -> {
          work.getOrCreate(new Page("same", "s"));
          work.getOrCreate(new Page("old", "o"));
        });

    List<UpsertResult<Page>> answers =
        rowlock.call(
            work ->
                work.upsertAll(
                    List.of(
                        new Page("old", "first"),
                        new Page("new", "n"),
                        new Page("same", "s"),
                        new Page("old", "last"))));

    assertThat(answers)
        .extracting(UpsertResult::outcome)
        .containsExactly(Outcome.UPDATED, Outcome.CREATED, Outcome.UNCHANGED, Outcome.UPDATED);
    assertThat(answers.get(3).entity()).isSameAs(answers.get(0).entity());
    assertThat(answers.get(0).entity().title).isEqualTo("last");
    assertThat(db.column("select slug || ':' || title || ':' || version from page order by slug"))
        .containsExactly("new:n:0", "old:last:1", "same:s:0");
  }

  @Test
  void a_new_row_given_twice_to_an_upsert_is_created_for_both() {
    List<UpsertResult<Page>> answers =
        rowlock.call(work -> work.upsertAll(List.of(new Page("a", "1"), new Page("a", "2"))));

    assertThat(answers)
        .extracting(UpsertResult::outcome)
        .containsExactly(Outcome.CREATED, Outcome.CREATED);
    assertThat(answers.get(0).entity().title).isEqualTo("2");
  }

  @Test
  void entities_that_were_managed_show_what_the_database_holds() throws Exception {
    rowlock.run(work -> work.getOrCreate(new Page("a", "there")));

    rowlock.run(
        work -> {
          Page managed =
              work.entityManager()
                  .createQuery("from Page where slug = 'a'", Page.class)
                  .getSingleResult();
          db.execute("update page set title = 'changed' where slug = 'a'");
          Page answered = work.getOrCreateAll(pages("a", "b")).get(0).entity();
          assertThat(answered).isSameAs(managed);
          assertThat(managed.title).isEqualTo("changed");
          work.upsertAll(List.of(new Page("a", "upserted")));
          assertThat(managed.title).isEqualTo("upserted");
        });
  }

  @Test
  void changes_that_were_not_flushed_are_seen() throws Exception {
    rowlock.run(
        work -> {
          work.entityManager().persist(new Page("a", "persisted"));
          assertThat(work.getOrCreateAll(pages("a")).get(0).created()).isFalse();
        });
    assertThat(db.number("select count(*) from page")).isOne();
  }

  // Statements

  @Test
  void a_thousand_rows_are_two_statements_or_one() throws Exception {
    List<Page> pages = pages(1000);
    assertThat(statements(work -> work.getOrCreateAll(pages))).hasSize(2);
    assertThat(statements(work -> work.getOrCreateAll(pages))).hasSize(2);
    assertThat(statements(work -> work.upsertAll(pages))).hasSize(2);
    assertThat(statements(work -> work.insertIfAbsentAll(pages))).hasSize(1);
    assertThat(db.number("select count(*) from page")).isEqualTo(1000);
  }

  @Test
  void seventy_thousand_rows_are_sorted_once_and_cut_into_chunks() throws Exception {
    List<Page> pages = pages(70_000);
    Collections.shuffle(pages, new Random(1));

    assertThat(statements(work -> work.insertIfAbsentAll(pages))).hasSize(71);

    assertThat(db.number("select count(*) from page")).isEqualTo(70_000);
    List<InsertResult<Page>> again = rowlock.call(work -> work.insertIfAbsentAll(pages));
    assertThat(again).noneMatch(InsertResult::inserted);
  }

  @Test
  void answers_stay_aligned_over_chunks_and_duplicates_across_them() throws Exception {
    List<Page> pages = pages(1500);
    pages.addAll(pages(1500));
    Collections.shuffle(pages, new Random(2));

    List<GetOrCreateResult<Page>> answers = rowlock.call(work -> work.getOrCreateAll(pages));

    assertThat(answers)
        .extracting(a -> a.entity().slug)
        .containsExactlyElementsOf(pages.stream().map(page -> page.slug).toList());
    assertThat(answers.stream().filter(GetOrCreateResult::created)).hasSize(1500);
    assertThat(db.number("select count(*) from page")).isEqualTo(1500);
  }

  @Test
  void an_empty_batch_sends_nothing() throws Exception {
    assertThat(
            statements(
                work -> {
                  assertThat(work.getOrCreateAll(List.<Page>of())).isEmpty();
                  assertThat(work.insertIfAbsentAll(List.<Page>of())).isEmpty();
                  return work.upsertAll(List.<Page>of());
                }))
        .isEmpty();
  }

  @Test
  void rows_that_are_there_burn_no_sequence_value_and_new_ones_share_them() throws Exception {
    List<Item> items = IntStream.range(0, 120).mapToObj(i -> new Item("i" + i, "x")).toList();
    long before = db.number("select last_value from item_seq");
    rowlock.run(work -> work.getOrCreateAll(items));
    long after = db.number("select last_value from item_seq");

    assertThat(after - before).as("blocks of fifty").isEqualTo(150);
    assertThat(db.number("select count(distinct id) from item")).isEqualTo(120);
    rowlock.run(work -> work.getOrCreateAll(items));
    rowlock.run(work -> work.upsertAll(items));
    rowlock.run(work -> work.insertIfAbsentAll(items));
    assertThat(db.number("select last_value from item_seq")).isEqualTo(after);
    rowlock.run(work -> work.entityManager().persist(new Item("persisted", "by Hibernate")));
    assertThat(db.number("select count(distinct id) from item")).isEqualTo(121);
  }

  @Test
  void rows_that_are_there_burn_no_identity() throws Exception {
    rowlock.run(work -> work.upsertAll(pages(100)));
    long last = db.number("select max(id) from page");
    rowlock.run(work -> work.upsertAll(pages(100)));
    rowlock.run(work -> work.getOrCreateAll(pages(100)));
    rowlock.run(work -> work.getOrCreate(new Page("next", "n")));
    assertThat(db.number("select max(id) from page")).isEqualTo(last + 1);
  }

  @Test
  void rows_that_need_different_statements_keep_the_one_order() throws Exception {
    rowlock.run(
        work ->
            work.getOrCreateAll(
                List.of(
                    new Label(3, "c", null), new Label(1, "a", null), new Label(2, "b", "mine"))));

    assertThat(db.column("select name || ':' || note from label order by id"))
        .containsExactly("a:made by the default", "b:mine", "c:made by the default");
  }

  // Order

  @Test
  void a_batch_goes_through_its_keys_in_their_order_whether_they_are_new_or_not() throws Exception {
    db.execute(
        "insert into page (slug, title, version) values ('b', 'x', 0), ('d', 'x', 0), ('a', 'x', 0)");
    Rival holder = db.rival();
    holder.execute("insert into page (slug, title, version) values ('c', 'rival', 0)");
    Future<List<UpsertResult<Page>>> batch =
        Together.start(() -> rowlock.call(work -> work.upsertAll(pages("d", "c", "b", "a", "e"))));
    db.awaitBlockedBy(holder.pid());

    assertThat(db.column("select slug from page order by slug for update skip locked"))
        .as("free while the batch waits for c")
        .containsExactly("d");
    holder.commit();

    assertThat(Together.get(batch))
        .extracting(UpsertResult::outcome)
        .containsExactly(
            Outcome.UPDATED, Outcome.UPDATED, Outcome.UPDATED, Outcome.UPDATED, Outcome.CREATED);
  }

  @Test
  void upserts_that_overlap_in_any_order_never_deadlock() throws Exception {
    stress(
        (work, slugs) ->
            work.upsertAll(
                slugs.stream().map(slug -> new Page(slug, "x")).toList(),
                Upsert.defaults().replacing("title").adding("visits")));
  }

  @Test
  void get_or_creates_that_overlap_in_any_order_never_deadlock() throws Exception {
    stress(
        (work, slugs) -> work.getOrCreateAll(slugs.stream().map(s -> new Page(s, "x")).toList()));
  }

  @Test
  void get_or_creates_that_lock_for_a_change_never_deadlock() throws Exception {
    stress(
        (work, slugs) ->
            work.getOrCreateAll(
                slugs.stream().map(s -> new Page(s, "x")).toList(),
                GetOrCreate.defaults().pinned(LockStrength.NO_KEY_UPDATE)));
  }

  @Test
  void inserts_if_absent_that_overlap_in_any_order_never_deadlock() throws Exception {
    stress(
        (work, slugs) ->
            work.insertIfAbsentAll(slugs.stream().map(s -> new Page(s, "x")).toList()));
  }

  private interface Batch {
    Object of(UnitOfWork work, List<String> slugs);
  }

  private void stress(Batch batch) throws Exception {
    long deadlocks = db.deadlocks();
    Together.run(
        8,
        thread -> {
          Random random = new Random(thread);
          for (int round = 0; round < 50; round++) {
            // new keys come in with each round, and every thread has those of the last ones
            int from = round * 20;
            List<String> slugs =
                new ArrayList<>(IntStream.range(from, from + 200).mapToObj(i -> "s" + i).toList());
            Collections.shuffle(slugs, random);
            rowlock.run(work -> batch.of(work, slugs));
          }
          return null;
        });
    assertThat(db.number("select count(*) from page")).isEqualTo(49 * 20 + 200);
    assertThat(db.deadlocks()).isEqualTo(deadlocks);
  }

  // Mistakes

  @Test
  void what_is_no_candidate_is_named_before_any_statement() throws Exception {
    assertThat(
            statements(
                work -> {
                  assertThatThrownBy(() -> work.getOrCreateAll(null))
                      .isInstanceOf(NullPointerException.class);
                  assertThatThrownBy(
                          () -> work.getOrCreateAll(Arrays.asList(new Page("a", "x"), null)))
                      .isInstanceOf(IllegalArgumentException.class)
                      .hasMessageContaining("Candidate 2 of 2 is null");
                  assertThatThrownBy(
                          () ->
                              work.<Object>getOrCreateAll(
                                  List.of(new Page("a", "x"), new Item("a", "x"))))
                      .isInstanceOf(IllegalArgumentException.class)
                      .hasMessageContaining("several classes")
                      .hasMessageContaining("create.Page")
                      .hasMessageContaining("create.Item");
                  assertThatThrownBy(
                          () ->
                              work.getOrCreateAll(List.of(new Page("a", "x"), new Page(null, "x"))))
                      .isInstanceOf(IllegalArgumentException.class)
                      .hasMessageContaining("null in the columns [slug]");
                  return null;
                }))
        .isEmpty();
  }

  @Test
  void a_trigger_that_changes_the_key_is_named_and_nothing_is_stored() throws Exception {
    db.execute(
        "create function rekey() returns trigger language plpgsql as"
            + " $$ begin new.slug := new.slug || '!'; return new; end $$",
        "create trigger rekey before insert on page for each row execute function rekey()");
    try {
      for (Function<UnitOfWork, Object> operation :
          List.<Function<UnitOfWork, Object>>of(
              work -> work.getOrCreateAll(pages("a", "b")),
              work -> work.insertIfAbsentAll(pages("a", "b")),
              work -> work.upsertAll(pages("a", "b")))) {
        assertThatThrownBy(() -> rowlock.call(operation::apply))
            .isInstanceOf(UnsupportedMappingException.class)
            .hasMessageContaining("under another key (slug) than the candidate's");
      }
    } finally {
      db.execute("drop function rekey cascade");
    }
    assertThat(db.number("select count(*) from page")).isZero();
  }

  @Test
  void a_clash_with_another_constraint_is_named_and_nothing_is_stored() throws Exception {
    db.execute("create unique index page_title on page (title)");
    try {
      assertThatThrownBy(
              () ->
                  rowlock.run(
                      work ->
                          work.getOrCreateAll(
                              List.of(new Page("a", "same"), new Page("b", "same")))))
          .hasStackTraceContaining("page_title");
    } finally {
      db.execute("drop index page_title");
    }
    assertThat(db.number("select count(*) from page")).isZero();
  }

  private List<String> statements(Function<UnitOfWork, ?> work) {
    List<String> sent = new ArrayList<>();
    rowlock.run(
        unitOfWork -> {
          unit.log().clear();
          Object unused = work.apply(unitOfWork);
          sent.addAll(unit.log().work());
        });
    return sent;
  }

  private static List<Page> pages(String... slugs) {
    return Arrays.stream(slugs).map(slug -> new Page(slug, "title of " + slug)).toList();
  }

  private static List<Page> pages(int count) {
    return new ArrayList<>(
        IntStream.range(0, count).mapToObj(i -> new Page("p" + i, "title " + i)).toList());
  }
}
