package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.NaturalId;
import org.hibernate.type.SqlTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every kind of attribute that can be a key or part of one finds its row again. */
class KeyShapesIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create extension if not exists citext schema public",
          "create collation shapeless"
              + " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
          "create type size as enum ('SMALL', 'LARGE')",
          "create table collection (id bigint primary key)",
          "create table shaped (id bigint generated always as identity primary key,"
              + " token uuid unique, text_size varchar(10) unique, number_size smallint unique,"
              + " named size unique, code varchar(20) unique, flag char(1) unique, day date unique,"
              + " at timestamptz unique, bytes bytea unique, tags text[] unique, letter char(1) unique,"
              + " folded public.citext unique, collated text collate shapeless unique,"
              + " coll_id bigint references collection, slug text, unique (coll_id, slug),"
              + " lat int, lon int, unique (lat, lon), unique (named, day, coll_id), note text)",
          "create table child (id bigint generated always as identity primary key,"
              + " coll_id bigint not null references collection, country text not null,"
              + " city text not null, note text, unique (country, city, coll_id))",
          "create table loose (id bigint generated always as identity primary key, a text not null,"
              + " b text, coll_id bigint references collection, note text)");

  static TestUnit unit;
  static Creating create;
  static long version;

  @BeforeAll
  static void open() throws Exception {
    version = db.number("select current_setting('server_version_num')::int");
    db.execute(
        "alter table loose add unique "
            + (version < 150_000 ? "" : "nulls not distinct ")
            + "(a, b, coll_id)");
    unit = db.unit(Collection.class, Shaped.class, Child.class, Loose.class).open();
    create = new Creating(unit);
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute(
        "truncate shaped, child, loose, collection", "insert into collection values (1), (2)");
  }

  @Test
  void a_uuid() throws Exception {
    assertFoundAgain(
        "token", row -> row.token = UUID.fromString("f0000000-0000-0000-0000-00000000000a"));
  }

  @Test
  void enums_by_name_by_number_and_of_postgresql() throws Exception {
    assertFoundAgain("textSize", row -> row.textSize = Size.LARGE);
    assertFoundAgain("numberSize", row -> row.numberSize = Size.LARGE);
    assertFoundAgain("named", row -> row.named = Size.LARGE);
  }

  @Test
  void converted_values() throws Exception {
    assertFoundAgain("code", row -> row.code = new Code("A", 7));
    assertFoundAgain("flag", row -> row.flag = true);
  }

  @Test
  void times_bytes_characters_and_arrays() throws Exception {
    assertFoundAgain("day", row -> row.day = LocalDate.of(2024, 2, 29));
    assertFoundAgain("at", row -> row.at = Instant.parse("2024-05-06T07:08:09.123456789Z"));
    assertFoundAgain("bytes", row -> row.bytes = new byte[] {0, 1, -1});
    assertFoundAgain("letter", row -> row.letter = 'x');
    assertFoundAgain("tags", row -> row.tags = new String[] {"a", "b, c", ""});
  }

  @Test
  void texts_whose_equality_is_not_that_of_java() throws Exception {
    assertFoundAgain("folded", row -> row.folded = "Ab", row -> row.folded = "aB");
    assertFoundAgain("collated", row -> row.collated = "Éa", row -> row.collated = "éA");
  }

  @Test
  void an_embeddable() throws Exception {
    assertFoundAgain("position", row -> row.position = new Position(3, 4));
    Shaped half = new Shaped();
    half.position = new Position(3, null);
    assertThatThrownBy(() -> create.getOrCreate(half, GetOrCreate.by("position")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[lon]");
  }

  @Test
  void a_collection_and_a_slug() throws Exception {
    GetOrCreate how = GetOrCreate.by("coll", "slug");
    assertThat(create.getOrCreate(slugged(1, "s"), how).created()).isTrue();
    assertThat(create.getOrCreate(slugged(2, "s"), how).created()).isTrue();
    assertThat(create.getOrCreate(slugged(2, "s"), how).created()).isFalse();
    unit.factory()
        .runInTransaction(
            em -> {
              Shaped viaProxy = new Shaped();
              viaProxy.coll = em.getReference(Collection.class, 2L);
              viaProxy.slug = "s";
              assertThat(create.getOrCreate(em, viaProxy, how).created()).isFalse();
            });
  }

  @Test
  void three_of_different_kinds_in_any_order() throws Exception {
    for (String[] order : new String[][] {{"coll", "named", "day"}, {"day", "coll", "named"}}) {
      Shaped row = slugged(1, null);
      row.named = Size.SMALL;
      row.day = LocalDate.EPOCH;
      create.getOrCreate(row, GetOrCreate.by(order));
    }
    assertThat(db.number("select count(*) from shaped")).isEqualTo(1);
  }

  @Test
  void a_natural_id_of_a_reference_and_an_embeddable() throws Exception {
    assertThat(create.getOrCreate(new Child(1, "it", "Roma")).created()).isTrue();
    assertThat(create.getOrCreate(new Child(1, "it", "Roma")).created()).isFalse();
    assertThat(create.getOrCreate(new Child(2, "it", "Roma")).created()).isTrue();
    assertThat(create.upsert(new Child(2, "it", "Roma")).outcome())
        .isEqualTo(UpsertResult.Outcome.UNCHANGED);
    assertThat(db.number("select count(*) from child")).isEqualTo(2);
  }

  @Test
  void nulls_in_the_key_where_the_index_says_that_they_are_the_same() throws Exception {
    GetOrCreate how = GetOrCreate.by("a", "b", "coll");
    if (version < 150_000) {
      assertThatThrownBy(() -> create.getOrCreate(new Loose("a", null), how))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("[b, coll_id]");
      return;
    }
    assertThat(create.getOrCreate(new Loose("a", null), how).created()).isTrue();
    assertThat(create.getOrCreate(new Loose("a", null), how).created()).isFalse();
    assertThat(create.getOrCreate(new Loose("a", "b"), how).created()).isTrue();
    Loose noted = new Loose("a", null);
    noted.note = "new";
    assertThat(create.upsert(noted, Upsert.by("a", "b", "coll")).outcome())
        .isEqualTo(UpsertResult.Outcome.UPDATED);
    assertThat(db.column("select coalesce(b, '-') || coalesce(note, '-') from loose order by id"))
        .containsExactly("-new", "b-");
  }

  @Test
  void nulls_in_the_keys_of_a_batch_are_the_same_too() throws Exception {
    Rowlock rowlock = Rowlock.of(unit.factory());
    NaturalKey key = NaturalKey.of("a", "b", "coll");
    List<Loose> rows =
        List.of(
            new Loose("a", null),
            new Loose("b", "b"),
            new Loose("a", "b"),
            new Loose("c", null),
            new Loose("a", null));
    if (version < 150_000) {
      assertThatThrownBy(() -> rowlock.run(work -> work.getOrCreateAll(rows, GetOrCreate.by(key))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("nulls are never the same");
      return;
    }
    List<GetOrCreateResult<Loose>> created =
        rowlock.call(work -> work.getOrCreateAll(rows, GetOrCreate.by(key)));
    assertThat(created)
        .extracting(GetOrCreateResult::created)
        .containsExactly(true, true, true, true, false);
    assertThat(created.get(4).entity()).isSameAs(created.get(0).entity());
    rows.forEach(row -> row.note = "new");
    List<UpsertResult<Loose>> upserted = rowlock.call(work -> work.upsertAll(rows, Upsert.by(key)));
    assertThat(upserted)
        .extracting(UpsertResult::outcome)
        .containsOnly(UpsertResult.Outcome.UPDATED);
    List<InsertResult<Loose>> inserted =
        rowlock.call(work -> work.insertIfAbsentAll(rows, InsertIfAbsent.by(key)));
    assertThat(inserted).noneMatch(InsertResult::inserted);
    assertThat(db.number("select count(*) from loose where note = 'new'")).isEqualTo(4);
  }

  private static Shaped slugged(long coll, String slug) {
    Shaped row = new Shaped();
    row.coll = new Collection();
    row.coll.id = coll;
    row.slug = slug;
    return row;
  }

  private static void assertFoundAgain(String key, Consumer<Shaped> fill) throws Exception {
    assertFoundAgain(key, fill, fill);
  }

  private static void assertFoundAgain(
      String key, Consumer<Shaped> fill, Consumer<Shaped> fillAgain) throws Exception {
    Shaped first = new Shaped();
    fill.accept(first);
    Shaped second = new Shaped();
    fillAgain.accept(second);
    GetOrCreateResult<Shaped> created = create.getOrCreate(first, GetOrCreate.by(key));
    GetOrCreateResult<Shaped> found = create.getOrCreate(second, GetOrCreate.by(key));
    assertThat(created.created()).as(key).isTrue();
    assertThat(found.created()).as(key).isFalse();
    assertThat(found.entity().id).isEqualTo(created.entity().id);
    second.note = "new";
    assertThat(create.upsert(second, Upsert.by(key).replacing("note")).entity().id)
        .isEqualTo(created.entity().id);
    db.execute("truncate shaped");
  }

  enum Size {
    SMALL,
    LARGE
  }

  record Code(String letter, int number) {}

  static final class CodeConverter implements AttributeConverter<Code, String> {
    @Override
    public String convertToDatabaseColumn(Code value) {
      return value == null ? null : value.letter() + "-" + value.number();
    }

    @Override
    public Code convertToEntityAttribute(String value) {
      if (value == null) {
        return null;
      }
      int dash = value.indexOf('-');
      return new Code(value.substring(0, dash), Integer.parseInt(value.substring(dash + 1)));
    }
  }

  static final class YesNo implements AttributeConverter<Boolean, Character> {
    @Override
    public Character convertToDatabaseColumn(Boolean value) {
      return value == null ? null : value ? 'Y' : 'N';
    }

    @Override
    public Boolean convertToEntityAttribute(Character value) {
      return value == null ? null : value == 'Y';
    }
  }

  @Embeddable
  static class Position {
    Integer lat;
    Integer lon;

    protected Position() {}

    Position(Integer lat, Integer lon) {
      this.lat = lat;
      this.lon = lon;
    }
  }

  @Embeddable
  static class Town {
    String country;
    String city;
  }

  @Entity(name = "collection")
  static class Collection {
    @Id long id;
  }

  @Entity(name = "shaped")
  static class Shaped {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    UUID token;

    @Enumerated(EnumType.STRING)
    @Column(name = "text_size")
    Size textSize;

    @Enumerated(EnumType.ORDINAL)
    @Column(name = "number_size")
    Size numberSize;

    @JdbcTypeCode(SqlTypes.NAMED_ENUM)
    @Column(columnDefinition = "size")
    Size named;

    @Convert(converter = CodeConverter.class)
    Code code;

    @Convert(converter = YesNo.class)
    Boolean flag;

    LocalDate day;
    Instant at;
    byte[] bytes;
    String[] tags;
    Character letter;
    String folded;
    String collated;

    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "coll_id")
    Collection coll;

    String slug;
    Position position;
    String note;
  }

  @Entity(name = "child")
  static class Child {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @NaturalId
    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "coll_id")
    Collection coll;

    @NaturalId Town town;
    String note;

    protected Child() {}

    Child(long coll, String country, String city) {
      this.coll = new Collection();
      this.coll.id = coll;
      town = new Town();
      town.country = country;
      town.city = city;
    }
  }

  @Entity(name = "loose")
  static class Loose {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    String a;
    String b;

    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "coll_id")
    Collection coll;

    String note;

    protected Loose() {}

    Loose(String a, String b) {
      this.a = a;
      this.b = b;
    }
  }
}
