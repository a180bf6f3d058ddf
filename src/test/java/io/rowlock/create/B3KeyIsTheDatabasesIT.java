package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B3: equality and stored form of a key are the database's. */
class B3KeyIsTheDatabasesIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create extension if not exists citext schema public",
          "create collation nocase"
              + " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
          "create domain short_code as varchar(4) check (value <> '')",
          "create table keyed (id bigint generated always as identity primary key,"
              + " folded public.citext unique, collated text collate nocase unique,"
              + " three varchar(3) unique, padded char(5) unique, amount numeric(10, 2) unique,"
              + " at timestamptz(3) unique, domained short_code unique, note text)");

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit = db.unit(Keyed.class).open();
    create = new Creating(unit);
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate keyed");
  }

  @Test
  void a_citext_key_ignores_case_and_answers_what_is_stored() throws Exception {
    // letters of ASCII: which others have a case is up to the locale of the server under test
    Keyed first = new Keyed();
    first.folded = "Unicode";
    Keyed second = new Keyed();
    second.folded = "UNICODE";
    assertSameRow(first, second, "folded");
    assertThat(db.column("select folded::text from keyed")).containsExactly("Unicode");
  }

  @Test
  void a_citext_key_ignores_case_also_without_the_extension_in_the_search_path() throws Exception {
    TestUnit elsewhere = db.unit(Keyed.class).urlParameter("currentSchema", db.schema()).open();
    Creating other = new Creating(elsewhere);
    Keyed first = new Keyed();
    first.folded = "a";
    Keyed second = new Keyed();
    second.folded = "A";
    assertThat(other.getOrCreate(first, GetOrCreate.by("folded")).created()).isTrue();
    assertThat(other.getOrCreate(second, GetOrCreate.by("folded")).created()).isFalse();
  }

  @Test
  void a_nondeterministic_collation_decides() throws Exception {
    Keyed first = new Keyed();
    first.collated = "Ähre";
    Keyed second = new Keyed();
    second.collated = "ÄHRE";
    assertSameRow(first, second, "collated");
  }

  @Test
  void keys_that_only_the_database_holds_to_be_equal_race_like_equal_ones() throws Exception {
    Keyed mine = new Keyed();
    mine.folded = "RACE";
    create.getOrCreate(new Keyed("other"), GetOrCreate.by("folded"));
    Rival rival = db.rival();
    rival.execute("insert into keyed (folded, note) values ('race', 'rival')");
    Future<GetOrCreateResult<Keyed>> waiting =
        Together.start(() -> create.getOrCreate(mine, GetOrCreate.by("folded")));
    db.awaitBlockedBy(rival.pid());
    rival.commit();
    assertThat(Together.get(waiting).entity().note).isEqualTo("rival");
  }

  @Test
  void a_number_is_compared_as_it_is_rounded_for_storage() throws Exception {
    Keyed first = new Keyed();
    first.amount = new BigDecimal("1.234");
    Keyed second = new Keyed();
    second.amount = new BigDecimal("1.2321");
    assertSameRow(first, second, "amount");
    assertThat(db.column("select amount from keyed")).containsExactly(new BigDecimal("1.23"));
  }

  @Test
  void a_time_is_compared_as_it_is_rounded_for_storage() throws Exception {
    Keyed first = new Keyed();
    first.at = Instant.parse("2020-01-01T00:00:00.123456Z");
    Keyed second = new Keyed();
    second.at = Instant.parse("2020-01-01T00:00:00.123Z");
    assertSameRow(first, second, "at");
  }

  @Test
  void a_padded_key_is_found_without_its_padding() throws Exception {
    Keyed first = new Keyed();
    first.padded = "ab";
    Keyed second = new Keyed();
    second.padded = "ab   ";
    assertSameRow(first, second, "padded");
  }

  @Test
  void spaces_that_storing_cuts_off_are_no_difference() throws Exception {
    Keyed first = new Keyed();
    first.three = "ab    ";
    Keyed second = new Keyed();
    second.three = "ab     ";
    assertSameRow(first, second, "three");
  }

  @Test
  void a_key_that_is_too_long_is_refused_and_never_cut_to_another_rows_key() throws Exception {
    Keyed stored = new Keyed();
    stored.three = "abc";
    stored.domained = "abcd";
    create.getOrCreate(stored, GetOrCreate.by("three"));
    Keyed tooLong = new Keyed();
    tooLong.three = "abcdef";
    tooLong.domained = "abcdef";
    for (String key : new String[] {"three", "domained"}) {
      Throwable failure = catchThrowable(() -> create.getOrCreate(tooLong, GetOrCreate.by(key)));
      assertThat(FailureClassifier.classify(failure).sqlState()).isEqualTo("22001");
    }
  }

  @Test
  void a_domain_is_compared_as_the_type_it_rests_on() throws Exception {
    Keyed first = new Keyed();
    first.domained = "dom";
    Keyed second = new Keyed();
    second.domained = "dom";
    assertSameRow(first, second, "domained");
  }

  @Test
  void null_in_the_key_is_refused_where_nulls_are_never_the_same() throws Exception {
    assertThatThrownBy(() -> create.getOrCreate(new Keyed("x"), GetOrCreate.by("three")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("three")
        .hasMessageContaining("keyed_three_key");
    assertThat(db.number("select count(*) from keyed")).isZero();
  }

  private static void assertSameRow(Keyed first, Keyed second, String key) throws Exception {
    GetOrCreateResult<Keyed> created = create.getOrCreate(first, GetOrCreate.by(key));
    GetOrCreateResult<Keyed> existing = create.getOrCreate(second, GetOrCreate.by(key));
    assertThat(created.created()).isTrue();
    assertThat(existing.created()).isFalse();
    assertThat(existing.entity().id).isEqualTo(created.entity().id);
    second.note = "new";
    UpsertResult<Keyed> updated = create.upsert(second, Upsert.by(key).replacing("note"));
    assertThat(updated.outcome()).isEqualTo(UpsertResult.Outcome.UPDATED);
    assertThat(updated.entity().id).isEqualTo(created.entity().id);
    assertThat(db.number("select count(*) from keyed")).isEqualTo(1);
  }

  @Entity(name = "keyed")
  static class Keyed {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    String folded;
    String collated;
    String three;
    String padded;
    BigDecimal amount;

    @Column(name = "at")
    Instant at;

    String domained;
    String note;

    Keyed() {}

    Keyed(String folded) {
      this.folded = folded;
    }
  }
}
