package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Future;
import org.hibernate.annotations.NaturalId;
import org.hibernate.annotations.SQLRestriction;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Names that are unique among the rows that are not deleted: a partial unique index. */
class C19PartialKeyIT {

  private static final String COLUMNS =
      " (id bigint generated always as identity primary key, slug text not null,"
          + " deleted_at timestamptz, state text not null default 'draft', note text,"
          + " version int not null)";

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table note" + COLUMNS,
          "create unique index note_live on note (slug) where deleted_at is null",
          "create table whole" + COLUMNS,
          "alter table whole add constraint whole_slug_key unique (slug)",
          "create unique index whole_live on whole (slug) where deleted_at is null",
          "create table hidden" + COLUMNS,
          "alter table hidden add constraint hidden_slug_key unique (slug)",
          "create table shown" + COLUMNS,
          "create unique index shown_live on shown (slug) where deleted_at is null",
          "create unique index shown_draft on shown (slug, state) where state = 'shadow'",
          "create table several" + COLUMNS,
          "create unique index several_live on several (slug)"
              + " where deleted_at is null and state <> 'archived'",
          "create unique index several_draft on several (slug) where state = 'draft'");

  private static final NaturalKey LIVE = NaturalKey.of("slug").where("deleted_at is null");

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit =
        db.unit(Note.class, Whole.class, Hidden.class, Shown.class, Several.class)
            .recording()
            .open();
    create = new Creating(unit);
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate note, whole, hidden, shown, several");
  }

  @Test
  void a_new_row_is_made_beside_the_deleted_one_and_found_afterwards() throws Exception {
    db.execute("insert into note (slug, deleted_at, note, version) values ('s', now(), 'old', 0)");
    GetOrCreateResult<Note> first = create.getOrCreate(new Note("s", "new"), GetOrCreate.by(LIVE));
    GetOrCreateResult<Note> second =
        create.getOrCreate(new Note("s", "again"), GetOrCreate.by(LIVE));
    assertThat(first.created()).isTrue();
    assertThat(second.created()).isFalse();
    assertThat(second.entity().note).isEqualTo("new");
    assertThat(db.column("select note from note order by id")).containsExactly("old", "new");
  }

  @Test
  void an_upsert_changes_the_row_that_lives_and_no_other() throws Exception {
    db.execute("insert into note (slug, deleted_at, note, version) values ('s', now(), 'old', 0)");
    Upsert upsert = Upsert.by(LIVE).replacing("note");
    assertThat(create.upsert(new Note("s", "a"), upsert).outcome())
        .isEqualTo(UpsertResult.Outcome.CREATED);
    assertThat(create.upsert(new Note("s", "b"), upsert).outcome())
        .isEqualTo(UpsertResult.Outcome.UPDATED);
    assertThat(db.column("select note from note order by id")).containsExactly("old", "b");
  }

  @Test
  void insert_if_absent_is_skipped_for_a_row_that_lives_only() throws Exception {
    db.execute("insert into note (slug, deleted_at, version) values ('s', now(), 0)");
    assertThat(insertIfAbsent(new Note("s", "a")).inserted()).isTrue();
    assertThat(insertIfAbsent(new Note("s", "b")).inserted()).isFalse();
  }

  @Test
  void one_statement_each_and_the_partial_index_is_used() throws Exception {
    create.getOrCreate(new Note("s", "a"), GetOrCreate.by(LIVE));
    unit.factory()
        .runInTransaction(
            em -> {
              unit.log().clear();
              create.getOrCreate(em, new Note("s", "b"), GetOrCreate.by(LIVE));
              assertThat(unit.log().work()).hasSize(1);
            });
    String sql = unit.log().work().get(0).replace("?", "null");
    try (Rival rival = db.rival()) {
      rival.execute("set local enable_seqscan = off");
      assertThat(rival.column("explain " + sql).toString()).contains("note_live");
    }
  }

  @Test
  void a_lost_race_answers_the_rivals_row() throws Exception {
    create.getOrCreate(new Note("other", "a"), GetOrCreate.by(LIVE));
    Rival rival = db.rival();
    rival.execute("insert into note (slug, note, version) values ('race', 'rival', 0)");
    Future<GetOrCreateResult<Note>> waiting =
        Together.start(() -> create.getOrCreate(new Note("race", "mine"), GetOrCreate.by(LIVE)));
    db.awaitBlockedBy(rival.pid());
    rival.commit();
    assertThat(Together.get(waiting).entity().note).isEqualTo("rival");
  }

  @Test
  void many_at_once_make_one_row() throws Exception {
    List<Boolean> created =
        Together.run(
            8,
            number ->
                create.getOrCreate(new Note("same", "n" + number), GetOrCreate.by(LIVE)).created());
    assertThat(created).containsOnlyOnce(true);
    assertThat(db.number("select count(*) from note")).isEqualTo(1);
  }

  @Test
  void a_row_deleted_meanwhile_is_no_row_of_the_key() throws Exception {
    create.getOrCreate(new Note("gone", "old"), GetOrCreate.by(LIVE));
    Rival rival = db.rival();
    rival.execute("update note set deleted_at = now() where slug = 'gone'");
    Future<UpsertResult<Note>> waiting =
        Together.start(
            () -> create.upsert(new Note("gone", "new"), Upsert.by(LIVE).replacing("note")));
    db.awaitBlockedBy(rival.pid());
    rival.commit();
    assertThat(Together.get(waiting).outcome()).isEqualTo(UpsertResult.Outcome.CREATED);
    assertThat(db.column("select note from note order by id")).containsExactly("old", "new");
  }

  @Test
  void batches_find_and_make_rows_that_live_only() throws Exception {
    db.execute(
        "insert into note (slug, deleted_at, note, version) values ('a', now(), 'old', 0)",
        "insert into note (slug, note, version) values ('b', 'there', 0)");
    Rowlock rowlock = Rowlock.of(unit.factory());
    List<Note> notes = List.of(new Note("b", "1"), new Note("a", "2"), new Note("a", "3"));
    List<GetOrCreateResult<Note>> first =
        rowlock.call(work -> work.getOrCreateAll(notes, GetOrCreate.by(LIVE)));
    assertThat(first).extracting(GetOrCreateResult::created).containsExactly(false, true, false);
    List<InsertResult<Note>> second =
        rowlock.call(work -> work.insertIfAbsentAll(notes, InsertIfAbsent.by(LIVE)));
    assertThat(second).noneMatch(InsertResult::inserted);
    Upsert upsert = Upsert.by(LIVE).replacing("note");
    List<UpsertResult<Note>> third = rowlock.call(work -> work.upsertAll(notes, upsert));
    assertThat(third).extracting(UpsertResult::outcome).containsOnly(UpsertResult.Outcome.UPDATED);
    assertThat(db.column("select note from note order by id")).containsExactly("old", "1", "3");

    Note deleted = new Note("c", "x");
    deleted.deletedAt = Instant.EPOCH;
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work ->
                        work.getOrCreateAll(
                            List.of(new Note("d", "y"), deleted), GetOrCreate.by(LIVE))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("(slug) where deleted_at is null");
    assertThat(db.number("select count(*) from note")).isEqualTo(3);
  }

  @Test
  void a_candidate_outside_the_predicate_is_refused_and_not_inserted() throws Exception {
    Note deleted = new Note("s", "x");
    deleted.deletedAt = Instant.EPOCH;
    for (int call = 0; call < 2; call++) {
      assertThatThrownBy(() -> create.getOrCreate(deleted, GetOrCreate.by(LIVE)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Note")
          .hasMessageContaining("(slug) where deleted_at is null")
          .hasMessageContaining("inserted once more with each call");
    }
    assertThatThrownBy(() -> create.upsert(deleted, Upsert.by(LIVE)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> insertIfAbsent(deleted)).isInstanceOf(IllegalArgumentException.class);
    assertThat(db.number("select count(*) from note")).isZero();
  }

  @Test
  void the_predicate_may_be_written_differently() throws Exception {
    NaturalKey other =
        NaturalKey.of("slug").where("( DELETED_AT is Null ) -- the rows that are alive");
    assertThat(create.getOrCreate(new Note("s", "a"), GetOrCreate.by(other)).created()).isTrue();
    assertThat(create.getOrCreate(new Note("s", "b"), GetOrCreate.by(other)).created()).isFalse();
    NaturalKey turned = NaturalKey.of("slug").where("state <> 'archived' and deleted_at is null");
    assertThatThrownBy(
            () ->
                create.getOrCreate(
                    new Several("s"),
                    GetOrCreate.by(NaturalKey.of("slug").where("deleted_at is null"))))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("has the predicate (deleted_at is null)")
        .hasMessageContaining("several_live is where")
        .hasMessageContaining("several_draft is where (state = 'draft'::text)");
    assertThat(
            create
                .getOrCreate(
                    new Several("s"),
                    GetOrCreate.by(NaturalKey.of("slug").where("not (state <> 'draft')")))
                .created())
        .isTrue();
    assertThat(create.getOrCreate(new Several("s"), GetOrCreate.by(turned)).created()).isFalse();
  }

  @Test
  void a_partial_index_may_be_named_and_its_predicate_must_be_declared() {
    NaturalKey named = NaturalKey.constraint("note_live");
    assertThatThrownBy(() -> create.getOrCreate(new Note("s", "a"), GetOrCreate.by(named)))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("index note_live is partial")
        .hasMessageContaining("NaturalKey.where(\"(deleted_at IS NULL)\")");
    GetOrCreate live = GetOrCreate.by(named.where("deleted_at is null"));
    assertThat(create.getOrCreate(new Note("s", "a"), live).created()).isTrue();
    assertThat(create.getOrCreate(new Note("s", "b"), live).created()).isFalse();
  }

  @Test
  void a_predicate_that_the_table_does_not_have_is_refused() {
    assertRefused("gone is null", "is none: ", "gone");
    assertRefused("deleted_at is", "is none: ", "syntax");
    assertRefused("deleted_at is not null", "no unique index on exactly these columns has the", "");
  }

  @Test
  void a_constraint_on_all_rows_beside_the_partial_index_is_pointed_out() {
    assertThatThrownBy(() -> create.getOrCreate(new Whole("s"), GetOrCreate.by(LIVE)))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("whole_slug_key makes the key unique among all rows");
    assertThat(create.getOrCreate(new Whole("s")).created()).isTrue();
  }

  @Test
  void an_entity_whose_deleted_rows_are_hidden_is_refused_with_the_way_out() {
    assertThatThrownBy(() -> create.getOrCreate(new Hidden("s")))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("@SQLRestriction")
        .hasMessageContaining("a hidden row can have the key")
        .hasMessageContaining("NaturalKey.where");
    assertThatThrownBy(
            () ->
                create.getOrCreate(
                    new Shown("s"),
                    GetOrCreate.by(NaturalKey.of("slug", "state").where("state = 'shadow'"))))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("@SQLRestriction (deleted_at is null)")
        .hasMessageContaining("the same predicate");
  }

  @Test
  void an_entity_whose_deleted_rows_are_hidden_works_by_the_key_of_those_it_shows()
      throws Exception {
    db.execute("insert into shown (slug, deleted_at, note, version) values ('s', now(), 'old', 0)");
    assertThat(create.getOrCreate(new Shown("s"), GetOrCreate.by(LIVE)).created()).isTrue();
    GetOrCreateResult<Shown> found = create.getOrCreate(new Shown("s"), GetOrCreate.by(LIVE));
    assertThat(found.created()).isFalse();
    assertThat(found.entity().note).isNull();
    unit.factory()
        .runInTransaction(em -> em.find(Shown.class, found.entity().id).deletedAt = Instant.EPOCH);
    assertThat(create.getOrCreate(new Shown("s"), GetOrCreate.by(LIVE)).created()).isTrue();
    assertThat(db.number("select count(*) from shown")).isEqualTo(3);
  }

  private static void assertRefused(String predicate, String... why) {
    assertThatThrownBy(
            () ->
                create.getOrCreate(
                    new Note("s", "a"), GetOrCreate.by(NaturalKey.of("slug").where(predicate))))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("(" + predicate + ")")
        .hasMessageContainingAll(why);
  }

  private static InsertResult<Note> insertIfAbsent(Note candidate) {
    return unit.factory()
        .callInTransaction(em -> create.insertIfAbsent(em, candidate, InsertIfAbsent.by(LIVE)));
  }

  @jakarta.persistence.MappedSuperclass
  static class Base {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @NaturalId String slug;

    @Column(name = "deleted_at")
    Instant deletedAt;

    String state = "draft";
    String note;
    @Version int version;
  }

  @Entity(name = "note")
  static class Note extends Base {
    protected Note() {}

    Note(String slug, String note) {
      this.slug = slug;
      this.note = note;
    }
  }

  @Entity(name = "whole")
  static class Whole extends Base {
    protected Whole() {}

    Whole(String slug) {
      this.slug = slug;
    }
  }

  @Entity(name = "hidden")
  @SQLRestriction("deleted_at is null")
  static class Hidden extends Base {
    protected Hidden() {}

    Hidden(String slug) {
      this.slug = slug;
    }
  }

  @Entity(name = "shown")
  @SQLRestriction("deleted_at is null")
  static class Shown extends Base {
    protected Shown() {}

    Shown(String slug) {
      this.slug = slug;
    }
  }

  @Entity(name = "several")
  static class Several extends Base {
    protected Several() {}

    Several(String slug) {
      this.slug = slug;
    }
  }
}
