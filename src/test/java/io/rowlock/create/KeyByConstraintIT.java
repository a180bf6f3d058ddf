package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The key of a constraint or index that the caller names. */
class KeyByConstraintIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table shelf (id bigint primary key)",
          "create table book (id bigint generated always as identity primary key,"
              + " shelf_id bigint not null references shelf, slug text not null,"
              + " isbn text not null, lang text, part int, loose text unique,"
              + " hidden text default 'x', note text,"
              + " constraint book_slug_key unique (slug, shelf_id))",
          "create unique index \"Book by ISBN\" on book (isbn)",
          "create unique index book_edition on book (isbn, lang)",
          "create unique index book_lower on book (lower(slug), isbn)",
          "create unique index book_hidden on book (isbn, hidden)",
          "create unique index book_all on book (isbn, lang, part)",
          "create index book_note on book (note)");

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit = db.unit(Shelf.class, Book.class).open();
    create = new Creating(unit);
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate book, shelf", "insert into shelf values (1), (2)");
  }

  @Test
  void a_constraint_over_a_reference_and_a_text() throws Exception {
    GetOrCreate how = GetOrCreate.by(NaturalKey.constraint("book_slug_key"));
    assertThat(create.getOrCreate(new Book(1, "a", "1"), how).created()).isTrue();
    assertThat(create.getOrCreate(new Book(1, "a", "2"), how).entity().isbn).isEqualTo("1");
    assertThat(create.getOrCreate(new Book(2, "a", "3"), how).created()).isTrue();
    assertThat(
            create
                .upsert(new Book(2, "a", "4"), Upsert.by(NaturalKey.constraint("book_slug_key")))
                .entity()
                .isbn)
        .isEqualTo("4");
  }

  @Test
  void an_index_with_a_quoted_name() {
    GetOrCreate how = GetOrCreate.by(NaturalKey.constraint("Book by ISBN"));
    assertThat(create.getOrCreate(new Book(1, "a", "1"), how).created()).isTrue();
    assertThat(create.getOrCreate(new Book(2, "b", "1"), how).created()).isFalse();
  }

  @Test
  void the_whole_of_an_embeddable() {
    GetOrCreate how = GetOrCreate.by(NaturalKey.constraint("book_all"));
    Book first = new Book(1, "a", "1");
    first.edition = new Edition();
    first.edition.lang = "en";
    first.edition.part = 1;
    assertThat(create.getOrCreate(first, how).created()).isTrue();
    first.slug = "b";
    assertThat(create.getOrCreate(first, how).created()).isFalse();
  }

  @Test
  void the_primary_key_of_generated_ids_is_refused() {
    assertRefused("book_pkey", "'id'", "generated");
  }

  @Test
  void an_unknown_name_is_answered_with_those_that_there_are() {
    assertRefused(
        "book_slug", "no constraint and no index 'book_slug'", "constraint book_slug_key", "lower");
  }

  @Test
  void what_is_no_key_of_attributes_is_refused() {
    assertRefused("book_note", "index book_note: of table book, it is not unique");
    assertRefused("book_lower", "is on the expression lower(slug)", "citext");
    assertRefused("book_hidden", "its column hidden is none that the application sets", "Map it");
    assertRefused("book_edition", "of the columns of the attribute 'edition'", "only some");
  }

  @Test
  void a_name_beside_attributes_or_blank_is_refused_at_once() {
    assertThatThrownBy(() -> NaturalKey.constraint(" "))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> NaturalKey.of("a").where(" "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("predicate");
  }

  private static void assertRefused(String constraint, String... why) {
    assertThatThrownBy(
            () ->
                create.getOrCreate(
                    new Book(1, "a", "1"), GetOrCreate.by(NaturalKey.constraint(constraint))))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("Book")
        .hasMessageContainingAll(why);
  }

  @Entity(name = "shelf")
  static class Shelf {
    @Id long id;
  }

  @Embeddable
  static class Edition {
    String lang;
    Integer part;
  }

  @Entity(name = "book")
  static class Book {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @ManyToOne
    @JoinColumn(name = "shelf_id")
    Shelf shelf;

    String slug;
    String isbn;
    Edition edition;

    @Column(insertable = false, updatable = false)
    String hidden;

    String note;

    protected Book() {}

    Book(long shelf, String slug, String isbn) {
      this.shelf = new Shelf();
      this.shelf.id = shelf;
      this.slug = slug;
      this.isbn = isbn;
    }
  }
}
