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
import jakarta.persistence.Lob;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.SecondaryTable;
import java.util.Set;
import org.hibernate.annotations.DiscriminatorFormula;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.NaturalId;
import org.hibernate.annotations.SQLInsert;
import org.hibernate.annotations.SQLRestriction;
import org.hibernate.annotations.SoftDelete;
import org.hibernate.annotations.Subselect;
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
    assertRefused(new Joined(), "not stored in one table");
    assertRefused(new Leaf(), "not stored in one table");
    assertRefused(new Secondary(), "not stored in one table");
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
}
