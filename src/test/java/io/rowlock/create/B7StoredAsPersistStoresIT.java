package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.CreationTimestamp;
import org.hibernate.annotations.CurrentTimestamp;
import org.hibernate.annotations.DynamicInsert;
import org.hibernate.annotations.Formula;
import org.hibernate.annotations.Generated;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.NaturalId;
import org.hibernate.annotations.SourceType;
import org.hibernate.annotations.UpdateTimestamp;
import org.hibernate.generator.EventType;
import org.hibernate.type.SqlTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B7: what is stored is what persist would have stored. */
class B7StoredAsPersistStoresIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create type mood as enum ('GOOD', 'BAD')",
          "create table owner (id bigint primary key, name text)",
          "create table full_row (id uuid primary key, parent_id uuid references full_row, slug text not null unique, token uuid,"
              + " named mood, text_enum varchar(10), number_enum smallint, yes_no char(1),"
              + " never_null text, doc jsonb, tags text[], street varchar(20), city varchar(20),"
              + " owner_id bigint references owner, at timestamptz, day date,"
              + " price numeric(12, 3), data bytea, flag boolean, num int not null, upper text,"
              + " created timestamptz not null, changed timestamptz not null,"
              + " clock timestamptz not null, defaulted text not null default 'by the database',"
              + " read_only text default 'untouched')",
          "create table sparse (id bigint generated always as identity primary key,"
              + " slug text not null unique, note text not null default 'default')");

  static TestUnit unit;
  static Creating create;

  /** Everything but what must differ between two rows. */
  private static final String ROW =
      "select (to_jsonb(f) - array['id', 'slug', 'created', 'changed', 'clock'])::text"
          + " from full_row f where slug = ?";

  @BeforeAll
  static void open() {
    unit =
        db.unit(FullRow.class, Owner.class, Sparse.class)
            .property("hibernate.type.json_format_mapper", new PlainJson())
            .open();
    create = new Creating(unit);
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate full_row, owner, sparse", "insert into owner values (1, 'one')");
  }

  @Test
  void every_kind_of_attribute_with_a_value() throws Exception {
    assertStoredAlike(B7StoredAsPersistStoresIT::fill);
    assertThat(db.one("select upper from full_row where slug = 'rowlock'")).isEqualTo("LOUD");
    assertThat(db.one("select read_only from full_row where slug = 'rowlock'"))
        .isEqualTo("untouched");
  }

  @Test
  void every_kind_of_attribute_without_a_value() throws Exception {
    assertStoredAlike(row -> {});
    assertThat(db.one("select never_null from full_row where slug = 'rowlock'")).isEqualTo("none");
  }

  @Test
  void what_is_answered_reads_like_what_is_found_afterwards() throws Exception {
    FullRow candidate = new FullRow("answered");
    fill(candidate);
    FullRow answered = create.getOrCreate(candidate).entity();
    try (var em = unit.factory().createEntityManager()) {
      FullRow found = em.find(FullRow.class, answered.id);
      assertThat(answered)
          .usingRecursiveComparison()
          .ignoringFields("owner", "children")
          .isEqualTo(found);
      assertThat(answered.number).isEqualTo("7!");
      assertThat(answered.defaulted).isEqualTo("by the database");
      assertThat(answered.created).isNotNull();
      assertThat(answered.clock).isNotNull();
    }
  }

  @Test
  void an_upsert_writes_every_kind_of_attribute_as_a_flush_does() throws Exception {
    create.getOrCreate(new FullRow("rowlock"));
    FullRow wanted = new FullRow("rowlock");
    fill(wanted);
    UpsertResult<FullRow> updated = create.upsert(wanted);
    assertThat(updated.outcome()).isEqualTo(UpsertResult.Outcome.UPDATED);
    assertThat(updated.entity().changed).isAfter(updated.entity().created);
    assertThat(create.upsert(wanted).outcome()).isEqualTo(UpsertResult.Outcome.UNCHANGED);

    unit.factory()
        .runInTransaction(
            em -> {
              FullRow row = new FullRow("persist");
              em.persist(row);
              em.flush();
              fill(row);
            });
    assertThat(db.one(ROW, "rowlock")).isEqualTo(db.one(ROW, "persist"));
  }

  @Test
  void an_unchanged_row_keeps_its_update_timestamp() throws Exception {
    Instant first = create.upsert(new FullRow("x")).entity().changed;
    assertThat(create.upsert(new FullRow("x")).entity().changed).isEqualTo(first);
  }

  @Test
  void a_reference_is_stored_by_its_id_whether_managed_detached_or_a_proxy() throws Exception {
    Owner detached = unit.factory().callInTransaction(em -> em.find(Owner.class, 1L));
    unit.factory()
        .runInTransaction(
            em -> {
              FullRow viaProxy = new FullRow("proxy");
              viaProxy.owner = em.getReference(Owner.class, 1L);
              create.getOrCreate(em, viaProxy);
              FullRow viaDetached = new FullRow("detached");
              viaDetached.owner = detached;
              create.getOrCreate(em, viaDetached);
              FullRow viaPersisted = new FullRow("persisted");
              viaPersisted.owner = new Owner(2L);
              em.persist(viaPersisted.owner);
              create.getOrCreate(em, viaPersisted);
            });
    assertThat(db.column("select slug || owner_id from full_row order by slug"))
        .containsExactly("detached1", "persisted2", "proxy1");
  }

  @Test
  void what_a_statement_would_not_store_is_refused() {
    FullRow candidate = new FullRow("x");
    candidate.children.add(new FullRow("child"));
    assertThatThrownBy(() -> create.getOrCreate(candidate))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'children'");
    FullRow transientOwner = new FullRow("x");
    transientOwner.parent = new FullRow("not stored");
    assertThatThrownBy(() -> create.getOrCreate(transientOwner))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'parent'");
  }

  @Test
  void a_dynamic_insert_leaves_nulls_to_the_columns_default() throws Exception {
    create.getOrCreate(new Sparse("a", null));
    create.upsert(new Sparse("b", "given"));
    assertThat(db.column("select note from sparse order by slug"))
        .containsExactly("default", "given");
  }

  private static void assertStoredAlike(Consumer<FullRow> filler) throws Exception {
    unit.factory()
        .runInTransaction(
            em -> {
              FullRow row = new FullRow("persist");
              filler.accept(row);
              em.persist(row);
            });
    FullRow candidate = new FullRow("rowlock");
    filler.accept(candidate);
    assertThat(create.getOrCreate(candidate).created()).isTrue();
    assertThat(candidate.id).isNull();
    assertThat(candidate.created).isNull();
    assertThat(db.one(ROW, "rowlock")).isEqualTo(db.one(ROW, "persist"));
  }

  private static void fill(FullRow row) {
    row.token = UUID.fromString("00000000-0000-0000-0000-00000000000a");
    row.named = Mood.BAD;
    row.textEnum = Mood.GOOD;
    row.numberEnum = Mood.BAD;
    row.yesNo = true;
    row.neverNull = "something";
    row.doc = new TreeMap<>(Map.of("k", "v"));
    row.tags = new String[] {"a", "b, c"};
    row.address = new Address();
    row.address.street = "Street";
    row.at = Instant.parse("2024-05-06T07:08:09.123456Z");
    row.day = LocalDate.of(2024, 2, 29);
    row.price = new BigDecimal("12.3456");
    row.data = new byte[] {0, 1, -1};
    row.flag = true;
    row.num = 7;
    row.upper = "loud";
    row.readOnly = "never written";
  }

  enum Mood {
    GOOD,
    BAD
  }

  static final class YesNo implements AttributeConverter<Boolean, String> {
    @Override
    public String convertToDatabaseColumn(Boolean value) {
      return value == null ? null : value ? "Y" : "N";
    }

    @Override
    public Boolean convertToEntityAttribute(String value) {
      return value == null ? null : value.equals("Y");
    }
  }

  static final class NoneForNull implements AttributeConverter<String, String> {
    @Override
    public String convertToDatabaseColumn(String value) {
      return value == null ? "none" : value.toUpperCase(Locale.ROOT);
    }

    @Override
    public String convertToEntityAttribute(String value) {
      return value.equals("none") ? null : value.toLowerCase(Locale.ROOT);
    }
  }

  @Embeddable
  static class Address {
    String street;
    String city;
  }

  @Entity(name = "owner")
  static class Owner {
    @Id Long id;
    String name;

    protected Owner() {}

    Owner(Long id) {
      this.id = id;
    }
  }

  @Entity(name = "sparse")
  @DynamicInsert
  static class Sparse {
    @Id
    @GeneratedValue(strategy = jakarta.persistence.GenerationType.IDENTITY)
    Long id;

    @NaturalId String slug;
    String note;

    protected Sparse() {}

    Sparse(String slug, String note) {
      this.slug = slug;
      this.note = note;
    }
  }

  @Entity(name = "full_row")
  static class FullRow {
    @Id @GeneratedValue UUID id;
    @NaturalId String slug;
    UUID token;

    @JdbcTypeCode(SqlTypes.NAMED_ENUM)
    Mood named;

    @Enumerated(EnumType.STRING)
    @Column(name = "text_enum")
    Mood textEnum;

    @Column(name = "number_enum")
    Mood numberEnum;

    @Convert(converter = YesNo.class)
    @Column(name = "yes_no")
    Boolean yesNo;

    @Convert(converter = NoneForNull.class)
    @Column(name = "never_null")
    String neverNull;

    @JdbcTypeCode(SqlTypes.JSON)
    Map<String, Object> doc;

    String[] tags;
    @Embedded Address address;

    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "owner_id")
    Owner owner;

    Instant at;
    LocalDate day;
    BigDecimal price;
    byte[] data;
    Boolean flag;
    int num;

    @ColumnTransformer(write = "upper(?)")
    String upper;

    @CreationTimestamp Instant created;
    @UpdateTimestamp Instant changed;

    @CurrentTimestamp(source = SourceType.DB)
    Instant clock;

    @Generated(event = EventType.INSERT)
    String defaulted;

    @Column(name = "read_only", insertable = false, updatable = false)
    String readOnly;

    @Formula("num || '!'")
    String number;

    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "parent_id")
    FullRow parent;

    @OneToMany(mappedBy = "parent")
    List<FullRow> children = new ArrayList<>();

    protected FullRow() {}

    FullRow(String slug) {
      this.slug = slug;
    }
  }
}
