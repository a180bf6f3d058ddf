package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.internal.hibernate.CreateOnce;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B5: the three operations say what they did. */
class B5ThreeOutcomesIT {

  @RegisterExtension static final Postgres db = new Postgres(Page.TABLE);

  static TestUnit unit;
  static final CreateOnce create = new CreateOnce();

  @BeforeAll
  static void open() {
    unit = db.unit(Page.class).open();
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate page");
  }

  @Test
  void get_or_create_creates_once_and_leaves_what_is_there_alone() throws Exception {
    GetOrCreateResult<Page> first = getOrCreate(new Page("a", "first"));
    GetOrCreateResult<Page> second = getOrCreate(new Page("a", "second"));

    assertThat(first.created()).isTrue();
    assertThat(second.created()).isFalse();
    assertThat(second.entity().id).isEqualTo(first.entity().id).isNotNull();
    assertThat(second.entity().title).isEqualTo("first");
    assertThat(db.column("select title from page")).containsExactly("first");
  }

  @Test
  void insert_if_absent_says_inserted_or_skipped() throws Exception {
    InsertResult<Page> first = insertIfAbsent(new Page("a", "first"));
    InsertResult<Page> second = insertIfAbsent(new Page("a", "second"));

    assertThat(first.inserted()).isTrue();
    assertThat(first.entity().orElseThrow().title).isEqualTo("first");
    assertThat(second).isEqualTo(new InsertResult.Skipped<>());
    assertThat(db.column("select title from page")).containsExactly("first");
  }

  @Test
  void upsert_says_created_updated_or_unchanged_and_raises_the_version_of_a_changed_row()
      throws Exception {
    UpsertResult<Page> created = upsert(new Page("a", "first"));
    UpsertResult<Page> updated = upsert(new Page("a", "second"));
    UpsertResult<Page> unchanged = upsert(new Page("a", "second"));

    assertThat(created.outcome()).isEqualTo(Outcome.CREATED);
    assertThat(created.entity().version).isZero();
    assertThat(updated.outcome()).isEqualTo(Outcome.UPDATED);
    assertThat(updated.entity().title).isEqualTo("second");
    assertThat(updated.entity().version).isEqualTo(1);
    assertThat(unchanged.outcome()).isEqualTo(Outcome.UNCHANGED);
    assertThat(unchanged.entity().version).isEqualTo(1);
    assertThat(db.column("select title || version from page")).containsExactly("second1");
  }

  static GetOrCreateResult<Page> getOrCreate(Page page) {
    return unit.factory()
        .callInTransaction(
            em -> create.getOrCreate(em, page, GetOrCreate.defaults(), (type, round) -> {}));
  }

  static InsertResult<Page> insertIfAbsent(Page page) {
    return unit.factory()
        .callInTransaction(
            em -> create.insertIfAbsent(em, page, InsertIfAbsent.defaults(), (t, round) -> {}));
  }

  static UpsertResult<Page> upsert(Page page) {
    return unit.factory()
        .callInTransaction(em -> create.upsert(em, page, Upsert.defaults(), (t, round) -> {}));
  }
}
