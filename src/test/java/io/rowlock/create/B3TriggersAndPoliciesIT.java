package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.CreateContentionException;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * B3: between the value sent and the value stored stand triggers and policies. The answer is the
 * right row or an error that says so.
 */
class B3TriggersAndPoliciesIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Page.TABLE,
          "create sequence fired",
          "create table archive (slug text)",
          "create function changes() returns trigger language plpgsql as $$begin "
              + "perform nextval('fired'); new.slug := 'other ' || nextval('fired'); return new; end$$",
          "create function lowers() returns trigger language plpgsql as $$begin "
              + "new.slug := lower(new.slug); return new; end$$",
          "create function fills() returns trigger language plpgsql as $$begin "
              + "new.title := coalesce(new.title, 'by the trigger'); return new; end$$",
          "create function nulls() returns trigger language plpgsql as $$begin "
              + "new.slug := null; return new; end$$",
          "create function raises() returns trigger language plpgsql as $$begin "
              + "raise exception 'no %', new.slug using errcode = 'P0042'; end$$",
          "create function renames() returns trigger language plpgsql as $$begin "
              + "update page set slug = slug || '!' where id = new.id; return null; end$$");

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit = db.unit(Page.class).recording().open();
    create = new Creating(unit);
    create.getOrCreate(new Page("first", null));
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate page");
  }

  @AfterEach
  void dropTrigger() throws Exception {
    db.execute(
        "drop trigger if exists t on page", "alter table page alter column slug set not null");
  }

  @Test
  void a_trigger_that_makes_another_key_of_it_is_told_at_once_and_leaves_no_row() throws Exception {
    trigger("before insert", "changes");
    unit.factory()
        .runInTransaction(
            em -> {
              unit.log().clear();
              assertOtherKey(catchThrowable(() -> create.getOrCreate(em, new Page("k", "x"))));
              assertThat(unit.log().work()).hasSize(1);
            });
    assertOtherKey(catchThrowable(() -> create.insertIfAbsent(new Page("k", "x"))));
    assertOtherKey(catchThrowable(() -> create.upsert(new Page("k", "x"))));
    assertThat(db.number("select count(*) from page")).isZero();
  }

  @Test
  void a_trigger_that_removes_the_key_is_told() throws Exception {
    db.execute("alter table page alter column slug drop not null");
    trigger("before insert", "nulls");
    assertOtherKey(catchThrowable(() -> create.getOrCreate(new Page("k", "x"))));
    assertThat(db.number("select count(*) from page")).isZero();
  }

  @Test
  void a_trigger_that_folds_the_key_lets_folded_keys_pass_and_tells_of_others() throws Exception {
    trigger("before insert", "lowers");
    assertThat(create.getOrCreate(new Page("k", "x")).created()).isTrue();
    assertThat(create.getOrCreate(new Page("k", "y")).created()).isFalse();
    assertOtherKey(catchThrowable(() -> create.getOrCreate(new Page("NEW", "x"))));
    // it meets the row of the folded key, which a lookup by the key that was sent does not find
    assertThatThrownBy(() -> create.getOrCreate(new Page("K", "x")))
        .isInstanceOf(CreateContentionException.class)
        .hasMessageContaining("a trigger on the table changes the key");
    assertThat(db.column("select slug from page")).containsExactly("k");
  }

  @Test
  void a_trigger_that_changes_other_columns_is_seen_in_the_answer() throws Exception {
    trigger("before insert or update", "fills");
    assertThat(create.getOrCreate(new Page("k", null)).entity().title).isEqualTo("by the trigger");
    create.upsert(new Page("k", "x"));
    assertThat(create.upsert(new Page("k", null)).entity().title).isEqualTo("by the trigger");
  }

  @Test
  void a_trigger_that_raises_is_heard_as_it_is() throws Exception {
    trigger("before insert", "raises");
    Throwable failure = catchThrowable(() -> create.getOrCreate(new Page("k", "x")));
    assertThat(FailureClassifier.classify(failure).sqlState()).isEqualTo("P0042");
  }

  @Test
  void a_trigger_after_the_insert_that_renames_the_row_is_bounded_too() throws Exception {
    trigger("after insert", "renames");
    List<Boolean> created = new ArrayList<>();
    created.add(create.getOrCreate(new Page("k", "x")).created());
    Throwable second = catchThrowable(() -> create.getOrCreate(new Page("k", "x")));
    // it did insert a row of that key, and what became of it later is the application's doing
    assertThat(created).containsExactly(true);
    assertThat(FailureClassifier.classify(second).sqlState()).isEqualTo("23505");
    assertThat(db.column("select slug from page")).containsExactly("k!");
  }

  @Test
  void a_policy_that_hides_the_new_row_or_forbids_it_is_heard_as_it_is() throws Exception {
    role("create policy mine on page using (title <> 'hidden') with check (title <> 'forbidden')");
    try (TestUnit restricted = restricted()) {
      Creating other = new Creating(restricted);
      for (String title : new String[] {"hidden", "forbidden"}) {
        Throwable failure = catchThrowable(() -> other.getOrCreate(new Page("k", title)));
        assertThat(FailureClassifier.classify(failure).sqlState()).as(title).isEqualTo("42501");
      }
      assertThat(other.getOrCreate(new Page("k", "seen")).created()).isTrue();
      assertThat(other.getOrCreate(new Page("k", "seen")).created()).isFalse();
    } finally {
      dropRole();
    }
    assertThat(db.column("select title from page")).containsExactly("seen");
  }

  @Test
  void a_row_that_a_policy_lets_read_but_not_change_is_no_row_to_lock() throws Exception {
    role(
        "create policy reading on page for select using (true)",
        "create policy adding on page for insert with check (true)",
        "create policy changing on page for update using (title <> 'locked')",
        "insert into page (slug, title, version) values ('k', 'locked', 0)");
    try (TestUnit restricted = restricted()) {
      Creating other = new Creating(restricted);
      assertThatThrownBy(() -> other.getOrCreate(new Page("k", "x")))
          .isInstanceOf(CreateContentionException.class)
          .hasMessageContaining("row security policy");
      assertThatThrownBy(() -> other.upsert(new Page("k", "x")))
          .isInstanceOf(CreateContentionException.class);
      assertThat(
              other
                  .getOrCreate(new Page("k", "x"), GetOrCreate.defaults().unpinned())
                  .entity()
                  .title)
          .isEqualTo("locked");
    } finally {
      dropRole();
    }
  }

  private static void assertOtherKey(Throwable failure) {
    assertThat(failure)
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("Page")
        .hasMessageContaining("under another key (slug)")
        .hasMessageContaining("a trigger on the table changes it");
  }

  private static void trigger(String when, String function) throws Exception {
    db.execute(
        "create trigger t " + when + " on page for each row execute function " + function + "()");
  }

  private static void role(String... statements) throws Exception {
    db.execute(
        "create role policed login password 'secret'",
        "grant usage on schema " + db.schema() + " to policed",
        "grant all on page to policed",
        "alter table page enable row level security");
    db.execute(statements);
  }

  private static void dropRole() throws Exception {
    db.execute(
        "drop policy if exists mine on page",
        "drop policy if exists reading on page",
        "drop policy if exists adding on page",
        "drop policy if exists changing on page",
        "alter table page disable row level security",
        "drop owned by policed",
        "drop role policed");
  }

  private static TestUnit restricted() {
    return db.unit(Page.class)
        .role("policed", "secret")
        .urlParameter("user", "policed")
        .urlParameter("password", "secret")
        .open();
  }
}
