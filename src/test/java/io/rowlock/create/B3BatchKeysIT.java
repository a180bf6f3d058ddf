package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.Rowlock;
import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B3, B6: which candidates of a batch have one key, and which row has it, says the database. */
class B3BatchKeysIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create extension if not exists citext schema public",
          "create collation nocase"
              + " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
          "create domain short_code as varchar(4) check (value <> '')",
          "create type colour as enum ('RED', 'BLUE')",
          "create table keyed (id bigint generated always as identity primary key,"
              + " folded public.citext unique, collated text collate nocase unique,"
              + " three varchar(3) unique, padded char(5) unique, amount numeric(10, 2) unique,"
              + " at timestamptz(3) unique, domained short_code unique, token uuid unique,"
              + " colour colour unique, data bytea unique, real double precision unique,"
              + " note text)");

  static TestUnit unit;
  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    unit = db.unit(Keyed.class).open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate keyed");
  }

  @Test
  void letters_of_either_case() throws Exception {
    one("folded", (row, value) -> row.folded = value, "Unicode", "UNICODE", "other");
    one("collated", (row, value) -> row.collated = value, "Ähre", "ÄHRE", "other");
  }

  @Test
  void letters_of_either_case_without_the_extension_in_the_search_path() throws Exception {
    Rowlock elsewhere =
        Rowlock.of(
            db.unit(Keyed.class).urlParameter("currentSchema", db.schema()).open().factory());
    Keyed first = new Keyed();
    first.folded = "a";
    Keyed second = new Keyed();
    second.folded = "A";
    List<GetOrCreateResult<Keyed>> answers =
        elsewhere.call(
            work -> work.getOrCreateAll(List.of(first, second), GetOrCreate.by("folded")));
    assertThat(answers).extracting(GetOrCreateResult::created).containsExactly(true, false);
  }

  @Test
  void numbers_as_they_are_rounded_for_storage() throws Exception {
    one(
        "amount",
        (row, value) -> row.amount = value,
        new BigDecimal("1.234"),
        new BigDecimal("1.2321"),
        new BigDecimal("-7"));
    one("real", (row, value) -> row.real = value, 0.0, -0.0, 1e-300);
    one("real", (row, value) -> row.real = value, Double.NaN, -Double.NaN, Double.MIN_VALUE);
  }

  @Test
  void times_as_they_are_rounded_for_storage() throws Exception {
    one(
        "at",
        (row, value) -> row.at = value,
        Instant.parse("2020-01-01T00:00:00.123456Z"),
        Instant.parse("2020-01-01T00:00:00.123Z"),
        Instant.parse("2020-01-01T00:00:00.124Z"));
  }

  @Test
  void texts_without_the_spaces_that_storing_cuts_off() throws Exception {
    one("padded", (row, value) -> row.padded = value, "ab", "ab   ", "b");
    one("three", (row, value) -> row.three = value, "ab    ", "ab     ", "b");
  }

  @Test
  void other_types() throws Exception {
    one("domained", (row, value) -> row.domained = value, "dom", "dom", "d");
    one(
        "token",
        (row, value) -> row.token = value,
        UUID.fromString("80000000-0000-0000-0000-000000000000"),
        UUID.fromString("80000000-0000-0000-0000-000000000000"),
        UUID.fromString("7fffffff-ffff-ffff-ffff-ffffffffffff"));
    one("colour", (row, value) -> row.colour = value, Colour.RED, Colour.RED, Colour.BLUE);
    one(
        "data",
        (row, value) -> row.data = value,
        new byte[] {0, -1},
        new byte[] {0, -1},
        new byte[] {});
  }

  @Test
  void texts_with_every_character_that_means_something_in_an_array() throws Exception {
    one("collated", (row, value) -> row.collated = value, "null", "NULL", "");
    one("collated", (row, value) -> row.collated = value, "{\"a\",\\b}", "{\"A\",\\B}", " , ");
    one("collated", (row, value) -> row.collated = value, "'?::x\n", "'?::X\n", "\\");
  }

  @Test
  void a_key_that_is_too_long_is_refused_and_never_cut_to_another_rows_key() throws Exception {
    Keyed stored = new Keyed();
    stored.three = "abc";
    rowlock.run(work -> work.getOrCreateAll(List.of(stored), GetOrCreate.by("three")));
    Keyed tooLong = new Keyed();
    tooLong.three = "abcdef";
    tooLong.domained = "abcdef";
    for (String key : List.of("three", "domained")) {
      Throwable failure =
          catchThrowable(
              () ->
                  rowlock.run(work -> work.getOrCreateAll(List.of(tooLong), GetOrCreate.by(key))));
      assertThat(FailureClassifier.classify(failure).sqlState()).isEqualTo("22001");
    }
  }

  /** A batch of the first two makes one row, which the next batches of all three find. */
  private static <T> void one(String key, BiConsumer<Keyed, T> setter, T first, T same, T different)
      throws Exception {
    db.execute("truncate keyed");
    List<Keyed> two = List.of(keyed(setter, first, "1"), keyed(setter, same, "2"));
    List<Keyed> three =
        List.of(keyed(setter, same, "3"), keyed(setter, different, "4"), keyed(setter, first, "5"));

    List<GetOrCreateResult<Keyed>> made =
        rowlock.call(work -> work.getOrCreateAll(two, GetOrCreate.by(key)));
    assertThat(made).as(key).extracting(GetOrCreateResult::created).containsExactly(true, false);
    assertThat(made.get(0).entity()).isSameAs(made.get(1).entity());
    assertThat(made.get(0).entity().note).isEqualTo("1");

    List<InsertResult<Keyed>> inserted =
        rowlock.call(work -> work.insertIfAbsentAll(three, InsertIfAbsent.by(key)));
    assertThat(inserted)
        .as(key)
        .extracting(InsertResult::inserted)
        .containsExactly(false, true, false);

    List<UpsertResult<Keyed>> upserted =
        rowlock.call(work -> work.upsertAll(three, Upsert.by(key).replacing("note")));
    assertThat(upserted)
        .as(key)
        .extracting(UpsertResult::outcome)
        .containsExactly(Outcome.UPDATED, Outcome.UNCHANGED, Outcome.UPDATED);
    assertThat(upserted.get(0).entity()).isSameAs(upserted.get(2).entity());
    assertThat(upserted.get(0).entity().note).isEqualTo("5");
    assertThat(upserted.get(0).entity().id).isEqualTo(made.get(0).entity().id);
    assertThat(db.number("select count(*) from keyed")).as(key).isEqualTo(2);
  }

  private static <T> Keyed keyed(BiConsumer<Keyed, T> setter, T value, String note) {
    Keyed row = new Keyed();
    setter.accept(row, value);
    row.note = note;
    return row;
  }

  enum Colour {
    RED,
    BLUE
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
    UUID token;

    @Enumerated(EnumType.STRING)
    @JdbcTypeCode(SqlTypes.NAMED_ENUM)
    Colour colour;

    byte[] data;
    Double real;
    String note;
  }
}
