package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.MissingRowsException;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.hibernate.RowLocks;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.hibernate.annotations.JavaType;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.AbstractClassJavaType;
import org.hibernate.type.descriptor.jdbc.JdbcType;
import org.hibernate.type.descriptor.jdbc.JdbcTypeIndicators;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Ids of every kind: sent as the column's type, equal where the database says so. */
class LockedIdsIT {

  private static final UUID LOW = UUID.fromString("7fffffff-0000-0000-0000-000000000001");
  private static final UUID HIGH = UUID.fromString("80000000-0000-0000-0000-000000000001");

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create extension if not exists citext schema public",
          "create domain isbn as varchar(20)",
          "create table ints (id integer primary key)",
          "create table shorts (id smallint primary key)",
          "create table bigs (id numeric(30) primary key)",
          "create table decimals (id numeric primary key, n int not null default 0)",
          "create table texts (id text primary key)",
          "create table isbns (id isbn primary key)",
          "create table citexts (id citext primary key, n int not null default 0)",
          "create table chars (id char(4) primary key)",
          "create table uuids (id uuid primary key)",
          "create table charuuids (id char(36) primary key)",
          "create table ordinals (id smallint primary key)",
          "create table names (id varchar(20) primary key)",
          "create table codes (id varchar(20) primary key)",
          "create table times (id time primary key)",
          "drop schema if exists \"Other Schema\" cascade",
          "create schema \"Other Schema\"",
          "create table \"Other Schema\".\"The Table\" (\"the Id\" bigint primary key, n int)",
          "insert into ints values (3), (1), (2)",
          "insert into shorts values (3), (1), (2)",
          "insert into bigs values (123456789012345678901234567890), (1)",
          "insert into decimals values (1.00), (2.5)",
          "insert into texts values ('a'), ('B'), ('{\"'), ('NULL'), ('x\\y,z'), (' ')",
          "insert into isbns values ('978'), ('979')",
          "insert into citexts values ('Alpha'), ('beta')",
          "insert into chars values ('ab'), ('cd')",
          "insert into uuids values ('" + HIGH + "'), ('" + LOW + "')",
          "insert into charuuids values ('" + HIGH + "'), ('" + LOW + "')",
          "insert into ordinals values (1), (0)",
          "insert into names values ('RED'), ('BLUE')",
          "insert into codes values ('code-7'), ('code-8')",
          "insert into times values ('12:34')",
          "insert into \"Other Schema\".\"The Table\" values (1, 0)");

  @Entity(name = "ints")
  static class Ints {
    @Id int id;
  }

  @Entity(name = "shorts")
  static class Shorts {
    @Id Short id;
  }

  @Entity(name = "bigs")
  static class Bigs {
    @Id BigInteger id;
  }

  @Entity(name = "decimals")
  static class Decimals {
    @Id BigDecimal id;
    int n;
  }

  @Entity(name = "texts")
  static class Texts {
    @Id String id;
  }

  @Entity(name = "isbns")
  static class Isbns {
    @Id String id;
  }

  @Entity(name = "citexts")
  static class Citexts {
    @Id String id;
    int n;
  }

  @Entity(name = "chars")
  static class Chars {
    @Id String id;
  }

  @Entity(name = "uuids")
  static class Uuids {
    @Id UUID id;
  }

  @Entity(name = "charuuids")
  static class CharUuids {
    @Id
    @JdbcTypeCode(SqlTypes.CHAR)
    UUID id;
  }

  enum Colour {
    RED,
    BLUE
  }

  @Entity(name = "ordinals")
  static class Ordinals {
    @Id Colour id;
  }

  @Entity(name = "names")
  static class Names {
    @Id
    @Enumerated(EnumType.STRING)
    Colour id;
  }

  record Code(int number) implements java.io.Serializable {}

  /** Stores a code as text of its own form. */
  static final class CodeJavaType extends AbstractClassJavaType<Code> {

    private static final long serialVersionUID = 1L;

    CodeJavaType() {
      super(Code.class);
    }

    @Override
    public JdbcType getRecommendedJdbcType(JdbcTypeIndicators indicators) {
      return indicators.getJdbcType(SqlTypes.VARCHAR);
    }

    @Override
    public <X> X unwrap(Code value, Class<X> type, WrapperOptions options) {
      return value == null ? null : type.cast("code-" + value.number());
    }

    @Override
    public <X> Code wrap(X value, WrapperOptions options) {
      return value == null ? null : new Code(Integer.parseInt(value.toString().substring(5)));
    }

    @Override
    public Code fromString(CharSequence text) {
      return new Code(Integer.parseInt(text.toString().substring(5)));
    }
  }

  @Entity(name = "codes")
  static class Codes {
    @Id
    @JavaType(CodeJavaType.class)
    Code id;
  }

  @Entity(name = "times")
  static class Times {
    @Id LocalTime id;
  }

  @Entity
  @Table(schema = "\"Other Schema\"", name = "\"The Table\"")
  static class Quoted {
    @Id
    @Column(name = "\"the Id\"")
    Long id;

    int n;
  }

  static TestUnit unit;
  static final RowLocks locks = new RowLocks();

  @BeforeAll
  static void open() {
    unit =
        db.unit(
                Ints.class,
                Shorts.class,
                Bigs.class,
                Decimals.class,
                Texts.class,
                Isbns.class,
                Citexts.class,
                Chars.class,
                Uuids.class,
                CharUuids.class,
                Ordinals.class,
                Names.class,
                Codes.class,
                Times.class,
                Quoted.class)
            .recording()
            .open();
  }

  @AfterAll
  static void dropOtherSchema() throws Exception {
    db.execute("drop schema \"Other Schema\" cascade");
  }

  @Test
  void whole_numbers_of_every_size() throws Exception {
    assertThat(locked(Ints.class, 3, 1)).containsExactly(1, 3);
    assertThat(locked(Shorts.class, (short) 3, (short) 2)).containsExactly((short) 2, (short) 3);
    BigInteger huge = new BigInteger("123456789012345678901234567890");
    assertThat(locked(Bigs.class, huge, BigInteger.ONE)).containsExactly(BigInteger.ONE, huge);
    assertThat(locked(Quoted.class, 1L)).containsExactly(1L);
  }

  @Test
  void strings_with_every_character_that_means_something_in_an_array() throws Exception {
    assertThat(locked(Texts.class, "a", "B", "{\"", "NULL", "x\\y,z", " ")).hasSize(6);
    assertThat(missing(Texts.class, "a", "null", "", "A")).containsExactly("null", "", "A");
    assertThat(locked(Isbns.class, "979", "978")).containsExactly("978", "979");
  }

  @Test
  void uuids_are_ordered_as_the_database_orders_them() throws Exception {
    assertThat(HIGH).as("in Java").isLessThan(LOW);
    assertThat(locked(Uuids.class, HIGH, LOW)).containsExactly(LOW, HIGH);
    assertThat(locked(CharUuids.class, HIGH, LOW)).containsExactly(LOW, HIGH);
  }

  @Test
  void enums_and_types_of_ones_own_are_sent_as_they_are_stored() throws Exception {
    assertThat(locked(Ordinals.class, Colour.BLUE, Colour.RED))
        .containsExactly(Colour.RED, Colour.BLUE);
    assertThat(locked(Names.class, Colour.RED, Colour.BLUE))
        .containsExactly(Colour.BLUE, Colour.RED);
    assertThat(locked(Codes.class, new Code(8), new Code(7)))
        .containsExactly(new Code(7), new Code(8));
  }

  @Test
  void a_decimal_of_another_scale_is_the_same_row_once() throws Exception {
    assertThat(locked(Decimals.class, new BigDecimal("1.0"), new BigDecimal("1.000")))
        .singleElement()
        .asString()
        .isEqualTo("1.00");
    assertThat(missing(Decimals.class, new BigDecimal("1"), new BigDecimal("3")))
        .containsExactly(new BigDecimal("3"));
  }

  @Test
  void text_that_ignores_case_is_the_same_row_once_and_uses_the_column_s_comparison()
      throws Exception {
    assertThat(locked(Citexts.class, "ALPHA", "alpha", "BETA")).containsExactly("Alpha", "beta");
    assertThat(missing(Citexts.class, "alpha", "Gamma")).containsExactly("Gamma");
  }

  @Test
  void text_padded_by_the_column_is_found() throws Exception {
    assertThat(locked(Chars.class, "cd", "ab")).containsExactly("ab  ", "cd  ");
    assertThat(missing(Chars.class, "cd", "ef")).containsExactly("ef");
  }

  @Test
  void an_instance_managed_under_the_stored_form_is_fresh_when_asked_for_by_another_form()
      throws Exception {
    Transaction.run(
        unit,
        em -> {
          Citexts stale = em.find(Citexts.class, "Alpha");
          db.execute("update citexts set n = 5 where id = 'alpha'");
          Map<String, Citexts> locked =
              locks.lock(em, Citexts.class, List.of("ALPHA"), Locking.defaults());
          assertThat(locked.get("Alpha")).isSameAs(stale);
          assertThat(stale.n).isEqualTo(5);
        });
  }

  @Test
  void an_id_without_a_text_form_is_refused() throws Exception {
    Transaction.run(
        unit,
        em ->
            assertThatExceptionOfType(UnsupportedMappingException.class)
                .isThrownBy(
                    () ->
                        locks.lock(
                            em, Times.class, List.of(LocalTime.of(12, 34)), Locking.defaults()))
                .withMessageContaining(Times.class.getName())
                .withMessageContaining("column id"));
  }

  private static List<Object> locked(Class<?> type, Object... ids) throws Exception {
    return Transaction.call(
        unit,
        em -> {
          unit.log().clear();
          Map<Object, ?> locked = locks.lock(em, type, List.of(ids), Locking.defaults());
          locked.values().forEach(entity -> assertThat(entity).isInstanceOf(type));
          return List.copyOf(locked.keySet());
        });
  }

  private static List<Object> missing(Class<?> type, Object... ids) throws Exception {
    return Transaction.call(
        unit,
        em ->
            catchThrowableOfType(
                    MissingRowsException.class,
                    () -> locks.lock(em, type, List.of(ids), Locking.defaults()))
                .ids());
  }
}
