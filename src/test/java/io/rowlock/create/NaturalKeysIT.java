package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Column;
import jakarta.persistence.DiscriminatorColumn;
import jakarta.persistence.DiscriminatorValue;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Index;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import jakarta.persistence.UniqueConstraint;
import jakarta.persistence.Version;
import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import org.hibernate.annotations.NaturalId;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which key is meant, and the shapes that keys, ids and tables can have. */
class NaturalKeysIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table shop (id bigint generated always as identity primary key,"
              + " country text not null, city text not null, name text, version int not null,"
              + " unique (city, country))",
          "create table product (id bigint generated always as identity primary key,"
              + " shop_id bigint not null references shop, code text not null, name text,"
              + " unique (shop_id, code))",
          "create table coded (id bigint primary key, \"emailAddress\" text unique)",
          "create table many (id bigint primary key, a text unique, b text unique)",
          "create table bare (id bigint primary key, a text)",
          "create table place (area text, number int, title text, primary key (area, number))",
          "create schema other_schema_of_keys",
          "create table other_schema_of_keys.\"Order\" (id bigint primary key,"
              + " \"group\" text unique, \"Select\" int)",
          "create table animal (id bigint generated always as identity primary key,"
              + " kind varchar(10) not null, name text not null unique, legs int, wings int)");

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit =
        db.unit(
                Shop.class,
                Product.class,
                Coded.class,
                Many.class,
                Bare.class,
                Place.class,
                Order.class,
                Animal.class,
                Dog.class,
                Bird.class)
            .open();
    create = new Creating(unit);
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute(
        "truncate shop, product, coded, many, bare, place, other_schema_of_keys.\"Order\", animal");
  }

  @org.junit.jupiter.api.AfterAll
  static void dropSchema() throws Exception {
    db.execute("drop schema other_schema_of_keys cascade");
  }

  @Test
  void a_natural_id_of_several_attributes() throws Exception {
    assertThat(create.getOrCreate(new Shop("it", "Roma", "a")).created()).isTrue();
    assertThat(create.getOrCreate(new Shop("it", "Roma", "b")).created()).isFalse();
    assertThat(create.getOrCreate(new Shop("us", "Roma", "c")).created()).isTrue();
    assertThat(create.upsert(new Shop("it", "Roma", "d")).entity().version).isEqualTo(1);
    assertThat(db.column("select name from shop order by country")).containsExactly("d", "c");
  }

  @Test
  void a_key_with_a_reference_in_a_table_constraint() throws Exception {
    unit.factory()
        .runInTransaction(
            em -> {
              Shop shop = create.getOrCreate(em, new Shop("it", "Roma", "a")).entity();
              assertThat(create.getOrCreate(em, new Product(shop, "p", "x")).created()).isTrue();
              GetOrCreateResult<Product> again =
                  create.getOrCreate(em, new Product(shop, "p", "y"));
              assertThat(again.created()).isFalse();
              assertThat(again.entity().name).isEqualTo("x");
              assertThat(again.entity().shop).isSameAs(shop);
            });
  }

  @Test
  void a_unique_column_with_a_quoted_name() throws Exception {
    assertThat(create.getOrCreate(new Coded(1, "a")).created()).isTrue();
    assertThat(create.getOrCreate(new Coded(2, "a")).entity().id).isEqualTo(1);
  }

  @Test
  void several_declared_keys_are_listed_and_one_can_be_named() throws Exception {
    assertThatThrownBy(() -> create.getOrCreate(new Many(1, "a", "b")))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("[[a], [b]]");
    assertThat(create.getOrCreate(new Many(1, "a", "b"), GetOrCreate.by("b")).created()).isTrue();
    assertThat(create.getOrCreate(new Many(2, "c", "b"), GetOrCreate.by("b")).created()).isFalse();
  }

  @Test
  void no_declared_key_is_said_with_what_to_do() {
    assertThatThrownBy(() -> create.getOrCreate(new Bare()))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("declares no natural key")
        .hasMessageContaining("@NaturalId");
  }

  @Test
  void a_key_of_unknown_or_unsuitable_attributes_is_refused() {
    assertThatThrownBy(() -> create.getOrCreate(new Bare(), GetOrCreate.by("nonsense")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'nonsense'")
        .hasMessageContaining("a");
    assertThatThrownBy(() -> create.getOrCreate(new Shop("a", "b", "c"), GetOrCreate.by("id")))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("'id'")
        .hasMessageContaining("generated");
    assertThatThrownBy(
            () -> create.getOrCreate(new Shop("a", "b", "c"), GetOrCreate.by("products")))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("collection");
  }

  @Test
  void an_assigned_composite_id_as_the_key() throws Exception {
    GetOrCreate byId = GetOrCreate.by("id");
    assertThat(create.getOrCreate(new Place("x", 1, "first"), byId).created()).isTrue();
    assertThat(create.getOrCreate(new Place("x", 1, "second"), byId).entity().title)
        .isEqualTo("first");
    assertThat(create.upsert(new Place("x", 1, "third"), Upsert.by("id")).outcome())
        .isEqualTo(UpsertResult.Outcome.UPDATED);
    assertThat(db.column("select area || number || title from place")).containsExactly("x1third");
  }

  @Test
  void quoted_names_in_another_schema() throws Exception {
    assertThat(create.getOrCreate(new Order(1, "g", 5)).created()).isTrue();
    assertThat(create.getOrCreate(new Order(2, "g", 6)).created()).isFalse();
    assertThat(create.upsert(new Order(2, "g", 6)).entity().select).isEqualTo(6);
  }

  @Test
  void classes_of_one_table_are_told_apart() throws Exception {
    Dog dog = new Dog();
    dog.name = "Rex";
    dog.legs = 4;
    Animal created = create.getOrCreate((Animal) dog).entity();
    assertThat(created).isInstanceOf(Dog.class);
    assertThat(db.column("select kind || legs from animal")).containsExactly("dog4");
    Dog again = new Dog();
    again.name = "Rex";
    again.legs = 3;
    assertThat(create.upsert(again).entity().legs).isEqualTo(3);

    Bird bird = new Bird();
    bird.name = "Rex";
    bird.wings = 2;
    assertThatThrownBy(() -> create.getOrCreate(bird))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("is no ")
        .hasMessageContaining("Bird");
    unit.factory()
        .runInTransaction(
            em ->
                assertThatThrownBy(() -> create.upsert(em, bird))
                    .isInstanceOf(UnsupportedMappingException.class));
    assertThat(db.column("select kind || legs || coalesce(wings, 0) from animal"))
        .containsExactly("dog30");
  }

  @Entity(name = "shop")
  static class Shop {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @NaturalId String country;
    @NaturalId String city;
    String name;
    @Version int version;

    @OneToMany(mappedBy = "shop")
    List<Product> products;

    protected Shop() {}

    Shop(String country, String city, String name) {
      this.country = country;
      this.city = city;
      this.name = name;
    }
  }

  @Entity(name = "product")
  @Table(uniqueConstraints = @UniqueConstraint(columnNames = {"shop_id", "code"}))
  static class Product {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @ManyToOne
    @JoinColumn(name = "shop_id")
    Shop shop;

    String code;
    String name;

    protected Product() {}

    Product(Shop shop, String code, String name) {
      this.shop = shop;
      this.code = code;
      this.name = name;
    }
  }

  @Entity(name = "coded")
  static class Coded {
    @Id long id;

    @Column(name = "\"emailAddress\"", unique = true)
    String email;

    protected Coded() {}

    Coded(long id, String email) {
      this.id = id;
      this.email = email;
    }
  }

  @Entity(name = "many")
  @Table(indexes = @Index(columnList = "b desc", unique = true))
  static class Many {
    @Id long id;

    @Column(unique = true)
    String a;

    String b;

    protected Many() {}

    Many(long id, String a, String b) {
      this.id = id;
      this.a = a;
      this.b = b;
    }
  }

  @Entity(name = "bare")
  static class Bare {
    @Id long id = 1;
    String a = "a";
  }

  @Embeddable
  static class PlaceId implements Serializable {
    private static final long serialVersionUID = 1L;
    String area;
    int number;

    @Override
    public boolean equals(Object other) {
      return other instanceof PlaceId that && area.equals(that.area) && number == that.number;
    }

    @Override
    public int hashCode() {
      return Objects.hash(area, number);
    }
  }

  @Entity(name = "place")
  static class Place {
    @EmbeddedId PlaceId id;
    String title;

    protected Place() {}

    Place(String area, int number, String title) {
      id = new PlaceId();
      id.area = area;
      id.number = number;
      this.title = title;
    }
  }

  @Entity
  @Table(name = "\"Order\"", schema = "other_schema_of_keys")
  static class Order {
    @Id long id;

    @NaturalId
    @Column(name = "\"group\"")
    String group;

    @Column(name = "\"Select\"")
    int select;

    protected Order() {}

    Order(long id, String group, int select) {
      this.id = id;
      this.group = group;
      this.select = select;
    }
  }

  @Entity(name = "animal")
  @Inheritance(strategy = InheritanceType.SINGLE_TABLE)
  @DiscriminatorColumn(name = "kind")
  abstract static class Animal {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @NaturalId String name;
  }

  @Entity
  @DiscriminatorValue("dog")
  static class Dog extends Animal {
    Integer legs;
  }

  @Entity
  @DiscriminatorValue("bird")
  static class Bird extends Animal {
    Integer wings;
  }
}
