package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.Lob;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.SecondaryTable;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.hibernate.annotations.Any;
import org.hibernate.annotations.AnyDiscriminatorValue;
import org.hibernate.annotations.AnyKeyJavaClass;
import org.hibernate.annotations.CreationTimestamp;
import org.hibernate.annotations.DiscriminatorFormula;
import org.hibernate.annotations.Generated;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.NaturalId;
import org.hibernate.annotations.SQLInsert;
import org.hibernate.annotations.SQLRestriction;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.annotations.Subselect;
import org.hibernate.annotations.UpdateTimestamp;
import org.hibernate.type.SqlTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What cannot be honoured is refused before any SQL, by name and with a way out. */
class B7RefusedMappingsIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table Frozen (id bigint primary key, slug text unique, note text)",
          "create table Tagged (id bigint primary key, slug text unique, note text)",
          "create table Audited (id bigint primary key, slug text unique, note text,"
              + " created timestamptz, changed timestamptz, by text)",
          "create table Updated (id bigint primary key, slug text unique, note text)");

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit =
        db.unit(
                Base.class,
                Joined.class,
                PerClass.class,
                Leaf.class,
                Secondary.class,
                Restricted.class,
                SoftlyDeleted.class,
                Custom.class,
                Large.class,
                Holder.class,
                Packed.class,
                Either.class,
                Filed.class,
                Tagged.class,
                Audited.class,
                Guessed.class,
                GuessedMore.class,
                Selected.class,
                Frozen.class,
                Updated.class)
            .recording()
            .open();
    create = new Creating(unit);
  }

  @Test
  void several_tables() {
    assertRefused(new Joined(), "[more] are in another table than its id");
    assertRefused(new Leaf(), "not stored in one table");
    assertRefused(new Secondary(), "[more] are in another table than its id");
    assertRefused(new Selected(), "not stored in one table");
  }

  @Test
  void hidden_rows() {
    assertRefused(new Restricted(), "@SQLRestriction");
    assertRefused(new SoftlyDeleted(), "@SoftDelete");
  }

  @Test
  void callbacks_of_an_update_matter_to_an_upsert_only() {
    unit.factory()
        .runInTransaction(
            em -> {
              assertThatThrownBy(() -> create.upsert(em, new Updated()))
                  .isInstanceOf(UnsupportedMappingException.class)
                  .hasMessageContaining("@PreUpdate")
                  .hasMessageContaining("change the entity that is answered");
              assertThat(create.getOrCreate(em, new Updated()).created()).isTrue();
            });
  }

  @Test
  void an_immutable_entity_can_be_created_but_not_replaced() {
    unit.factory()
        .runInTransaction(
            em -> {
              assertThatThrownBy(() -> create.upsert(em, new Frozen()))
                  .isInstanceOf(UnsupportedMappingException.class)
                  .hasMessageContaining("immutable");
              assertThat(create.getOrCreate(em, new Frozen()).created()).isTrue();
            });
  }

  @Test
  void what_a_native_statement_cannot_write_or_read() {
    assertRefused(new Custom(), "@SQLInsert");
    assertRefused(new Large(), "@Lob");
    assertRefused(new Packed(), "'inner' is an embeddable that is stored in one column");
    assertRefused(new GuessedMore(), "told apart by a formula");
    assertRefused(new Holder(), "'part' contains the collection 'names'");
    assertRefused(new Either(), "'other' can refer to several entity types (@Any)");
    assertRefused(new Filed(), "'filed' is an embeddable with values that the database generates");
  }

  @Test
  void elements_of_a_new_row_are_refused_with_the_attribute_and_the_way_out() {
    unit.factory()
        .runInTransaction(
            em -> {
              Tagged tagged = new Tagged();
              assertThat(create.getOrCreate(em, tagged).created()).isTrue();
              tagged.tags.add("x");
              for (ThrowingCallable call :
                  List.<ThrowingCallable>of(
                      () -> create.getOrCreate(em, tagged),
                      () -> create.insertIfAbsent(em, tagged),
                      () -> create.upsert(em, tagged))) {
                assertThatThrownBy(call)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'tags'")
                    .hasMessageContaining("Add them to the entity that is answered");
              }
            });
  }

  @Test
  void what_an_update_generates_in_part_matters_to_an_upsert_only() throws Exception {
    unit.factory()
        .runInTransaction(
            em -> {
              assertThatThrownBy(() -> create.upsert(em, new Audited()))
                  .isInstanceOf(UnsupportedMappingException.class)
                  .hasMessageContaining("'audit' is an embeddable of which an update generates");
              Audited stored = create.getOrCreate(em, new Audited()).entity();
              assertThat(stored.audit.created).isNotNull();
              assertThat(stored.audit.changed).isNotNull();
              assertThat(stored.audit.by).isEqualTo("me");
            });
  }

  private static void assertRefused(Keyed candidate, String why) {
    unit.factory()
        .runInTransaction(
            em -> {
              unit.log().clear();
              assertThatThrownBy(() -> create.getOrCreate(em, candidate))
                  .isInstanceOf(UnsupportedMappingException.class)
                  .hasMessageContaining(candidate.getClass().getSimpleName())
                  .hasMessageContaining(why);
              assertThatThrownBy(() -> create.insertIfAbsent(em, candidate))
                  .isInstanceOf(UnsupportedMappingException.class);
              assertThatThrownBy(() -> create.upsert(em, candidate))
                  .isInstanceOf(UnsupportedMappingException.class);
              assertThat(unit.log().work()).isEmpty();
            });
  }

  @MappedSuperclass
  static class Keyed {
    @Id long id = 1;
    @NaturalId String slug = "slug";
    String note = "note";
  }

  @Entity(name = "Base")
  @Inheritance(strategy = InheritanceType.JOINED)
  static class Base extends Keyed {}

  @Entity(name = "Joined")
  static class Joined extends Base {
    String more;
  }

  @Entity(name = "PerClass")
  @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
  static class PerClass extends Keyed {}

  @Entity(name = "Leaf")
  static class Leaf extends PerClass {
    String more;
  }

  @Entity(name = "Secondary")
  @SecondaryTable(name = "other")
  static class Secondary extends Keyed {
    @Column(table = "other")
    String more;
  }

  @Entity(name = "Restricted")
  @SQLRestriction("note <> 'deleted'")
  static class Restricted extends Keyed {}

  @Entity(name = "SoftlyDeleted")
  @SoftDelete
  static class SoftlyDeleted extends Keyed {}

  @Entity(name = "Updated")
  static class Updated extends Keyed {
    @PreUpdate
    void prepare() {}
  }

  @Entity(name = "Custom")
  @SQLInsert(sql = "insert into Custom (note, slug, id) values (?, lower(?), ?)")
  static class Custom extends Keyed {}

  @Entity(name = "Large")
  static class Large extends Keyed {
    @Lob String text;
  }

  @Embeddable
  static class Part {
    String one;
    @ElementCollection Set<String> names;
  }

  @Entity(name = "Holder")
  static class Holder extends Keyed {
    Part part;
  }

  @Embeddable
  static class Inner {
    String one;
  }

  @Entity(name = "Packed")
  static class Packed extends Keyed {
    @JdbcTypeCode(SqlTypes.JSON)
    Inner inner;
  }

  @Entity(name = "Guessed")
  @DiscriminatorFormula("case when note is null then 'Guessed' else 'GuessedMore' end")
  static class Guessed extends Keyed {}

  @Entity(name = "GuessedMore")
  static class GuessedMore extends Guessed {}

  @Entity(name = "Selected")
  @Subselect("select 1 as id, 'x' as slug, 'x' as note")
  static class Selected extends Keyed {}

  @Entity(name = "Frozen")
  @Immutable
  static class Frozen extends Keyed {}

  @Entity(name = "Either")
  static class Either extends Keyed {
    @Any
    @AnyKeyJavaClass(Long.class)
    @AnyDiscriminatorValue(discriminator = "f", entity = Frozen.class)
    @Column(name = "other_type")
    @JoinColumn(name = "other_id")
    Object other;
  }

  @Embeddable
  static class File {
    @Generated String name;
  }

  @Entity(name = "Filed")
  static class Filed extends Keyed {
    File filed;
  }

  @Entity(name = "Tagged")
  static class Tagged extends Keyed {
    @ElementCollection Set<String> tags = new HashSet<>();
  }

  @Embeddable
  static class Audit {
    @CreationTimestamp Instant created;
    @UpdateTimestamp Instant changed;
    String by = "me";
  }

  @Entity(name = "Audited")
  static class Audited extends Keyed {
    Audit audit = new Audit();
  }
}
