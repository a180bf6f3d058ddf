package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.AssociationOverride;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.AttributeOverride;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Version;
import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.JavaType;
import org.hibernate.type.format.FormatMapper;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C6: column by column, what a change writes is what Hibernate's flush writes. */
class C6SameAsFlushIT {

  @RegisterExtension static final Postgres db = new Postgres();

  enum Mood {
    GOOD,
    BAD
  }

  record Money(BigDecimal amount, String currency) {}

  static final class MoneyConverter implements AttributeConverter<Money, String> {
    @Override
    public String convertToDatabaseColumn(Money value) {
      return value == null ? "nothing" : value.amount() + " " + value.currency();
    }

    @Override
    public Money convertToEntityAttribute(String value) {
      if (value == null || value.equals("nothing")) {
        return null;
      }
      String[] parts = value.split(" ");
      return new Money(new BigDecimal(parts[0]), parts[1]);
    }
  }

  /** JSON as the map's only entry. */
  static final class OneEntry implements FormatMapper {
    @Override
    public <T> T fromString(CharSequence text, JavaType<T> type, WrapperOptions options) {
      String[] parts = text.toString().replaceAll("[{}\" ]", "").split(":");
      return type.getJavaTypeClass().cast(new LinkedHashMap<>(Map.of(parts[0], parts[1])));
    }

    @Override
    public <T> String toString(T value, JavaType<T> type, WrapperOptions options) {
      Map.Entry<?, ?> entry = ((Map<?, ?>) value).entrySet().iterator().next();
      return "{\"" + entry.getKey() + "\": \"" + entry.getValue() + "\"}";
    }
  }

  @Embeddable
  static class Part {
    @Column(name = "part_number")
    Integer number;

    @Convert(converter = MoneyConverter.class)
    @Column(name = "part_price")
    Money price;

    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "part_owner")
    Parent owner;
  }

  @Entity(name = "parent")
  static class Parent {
    @Id Long id;
  }

  @Entity(name = "plenty")
  static class Plenty {
    @Id Long id;
    @Version Short ver;

    boolean flag;
    byte tiny;
    int number;
    float real;
    Double precise;
    Character letter;

    @Column(length = 60)
    String text;

    @Column(precision = 12, scale = 3)
    BigDecimal price;

    byte[] data;
    UUID token;

    @Enumerated(EnumType.STRING)
    Mood textMood;

    @Enumerated(EnumType.ORDINAL)
    Mood numberMood;

    @JdbcTypeCode(SqlTypes.NAMED_ENUM)
    Mood namedMood;

    @Convert(converter = MoneyConverter.class)
    Money money;

    @JdbcTypeCode(SqlTypes.JSON)
    Map<String, Object> doc;

    String[] tags;
    UUID[] tokens;
    Instant instant;
    OffsetDateTime atOffset;
    LocalDateTime local;

    @Column(name = "local_seconds", secondPrecision = 0)
    LocalDateTime localSeconds;

    LocalDate day;
    LocalTime time;
    Duration duration;
    Class<?> type;
    Part part;

    @Embedded
    @AttributeOverride(name = "number", column = @Column(name = "second_number"))
    @AttributeOverride(name = "price", column = @Column(name = "second_price"))
    @AssociationOverride(name = "owner", joinColumns = @JoinColumn(name = "second_owner"))
    Part second;

    @ManyToOne(fetch = FetchType.LAZY)
    Parent parent;

    @Column(updatable = false)
    String readOnly;

    @ColumnTransformer(write = "upper(?)", read = "lower(loud)")
    String loud;

    /** Gives every attribute another value than it has. */
    Plenty fill(Parent one) {
      flag = true;
      tiny = -1;
      number = 3;
      real = 1.5f;
      precise = 0.1;
      letter = 'ö';
      text = "it's a \"text\" with ? and \\ and :colon, {brace}";
      price = new BigDecimal("12.3456");
      data = new byte[] {0, 1, -1};
      token = UUID.fromString("f0000000-0000-0000-0000-00000000000a");
      textMood = Mood.BAD;
      numberMood = Mood.BAD;
      namedMood = Mood.BAD;
      money = new Money(new BigDecimal("1.50"), "EUR");
      doc = new LinkedHashMap<>(Map.of("k", "v"));
      tags = new String[] {"a", "b, c", "", null};
      tokens = new UUID[] {token};
      instant = Instant.parse("2024-05-06T07:08:09.123456789Z");
      atOffset = OffsetDateTime.parse("2024-05-06T07:08:09.5+02:00");
      local = LocalDateTime.parse("2024-10-27T02:30:00.000001");
      localSeconds = LocalDateTime.parse("2024-10-27T02:30:00.6");
      day = LocalDate.of(2024, 2, 29);
      time = LocalTime.of(23, 59, 59);
      duration = Duration.ofSeconds(5, 7);
      type = String.class;
      part = new Part();
      part.number = 5;
      part.price = money;
      part.owner = one;
      second = new Part();
      second.number = 6;
      parent = one;
      readOnly = "never written";
      loud = "loud";
      return this;
    }

    /** Takes back all but what cannot be null. */
    void empty() throws IllegalAccessException {
      for (Field field : Plenty.class.getDeclaredFields()) {
        if (!field.getType().isPrimitive() && !List.of("id", "ver").contains(field.getName())) {
          field.set(this, null);
        }
      }
    }
  }

  static TestUnit unit;
  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    unit =
        db.unit(Plenty.class, Parent.class)
            .property("hibernate.hbm2ddl.auto", "create-only")
            .property(
                "hibernate.physical_naming_strategy",
                "org.hibernate.boot.model.naming.PhysicalNamingStrategySnakeCaseImpl")
            .property("hibernate.type.json_format_mapper", new OneEntry())
            .recording()
            .open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute("truncate plenty, parent", "insert into parent values (1)");
    for (long id : List.of(1L, 2L, 3L, 4L)) {
      unit.factory()
          .runInTransaction(
              em -> {
                Plenty row = new Plenty();
                row.id = id;
                if (id > 2) {
                  row.fill(em.getReference(Parent.class, 1L));
                }
                em.persist(row);
              });
    }
  }

  private interface Change {
    void of(Plenty row, Parent parent) throws Exception;
  }

  /** Changes an odd row and the even one after it, by one statement and by the flush. */
  private static void bothWays(long odd, Change change) {
    rowlock.run(
        work -> {
          unit.log().clear();
          work.change(
              Plenty.class,
              List.of(odd),
              row -> made(change, row, work.entityManager().getReference(Parent.class, 1L)));
          assertThat(unit.log().work())
              .as("written by one statement")
              .filteredOn(sql -> sql.contains(") update plenty e set "))
              .hasSize(1);
          int sent = unit.log().work().size();
          work.entityManager().flush();
          assertThat(unit.log().work()).as("nothing more to flush").hasSize(sent);
        });
    unit.factory()
        .runInTransaction(
            em -> made(change, em.find(Plenty.class, odd + 1), em.getReference(Parent.class, 1L)));
  }

  private static void made(Change change, Plenty row, Parent parent) {
    try {
      change.of(row, parent);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void every_attribute_gets_a_value() throws Exception {
    bothWays(1, Plenty::fill);
    Map<String, Object> wanted = row(2);
    assertThat(wanted.entrySet())
        .filteredOn(column -> column.getValue() == null)
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder("read_only", "second_owner");
    assertThat(row(1)).isEqualTo(wanted).containsEntry("ver", "1");
  }

  @Test
  void every_attribute_loses_its_value() throws Exception {
    bothWays(3, (row, parent) -> row.empty());
    assertThat(row(3)).isEqualTo(row(4)).containsEntry("ver", "1").containsEntry("text", null);
  }

  @Test
  void each_attribute_alone() throws Exception {
    int version = 0;
    for (Field field : Plenty.class.getDeclaredFields()) {
      if (List.of("id", "ver", "readOnly").contains(field.getName())) {
        continue;
      }
      version++;
      bothWays(1, (row, parent) -> field.set(row, field.get(new Plenty().fill(parent))));
      assertThat(row(1))
          .as(field.getName())
          .isEqualTo(row(2))
          .containsEntry("ver", String.valueOf(version));
    }
    assertThat(version).isGreaterThan(25);
  }

  /** What is mutable is compared with a copy of what was written. */
  @Test
  void what_is_changed_in_place_afterwards_is_written_by_the_flush() throws Exception {
    rowlock.run(
        work -> {
          Plenty row = work.change(Plenty.class, List.of(3L), one -> one.data[0] = 9).get(3L);
          row.data[1] = 8;
          row.doc.put("k", "w");
          row.part.number = 77;
        });
    assertThat(row(3))
        .containsEntry("data", "\\x0908ff")
        .containsEntry("part_number", "77")
        .containsEntry("ver", "2");
    assertThat(db.one("select doc ->> 'k' from plenty where id = 3")).isEqualTo("w");
  }

  @Test
  void text_that_is_too_long_is_refused_not_cut() throws Exception {
    for (boolean flush : new boolean[] {true, false}) {
      List<Throwable> failures = new ArrayList<>();
      try {
        rowlock.run(
            work -> {
              if (flush) {
                work.entityManager().find(Plenty.class, 1L).text = "x".repeat(61);
              } else {
                work.change(Plenty.class, List.of(1L), row -> row.text = "x".repeat(61));
              }
            });
      } catch (RuntimeException e) {
        failures.add(e);
      }
      assertThat(failures).hasSize(1);
      assertThat(failures.get(0)).hasStackTraceContaining("too long");
    }
  }

  /** All columns but the id, as text. */
  private static Map<String, Object> row(long id) throws Exception {
    try (Connection connection = db.connect();
        ResultSet rows =
            connection.createStatement().executeQuery("select * from plenty where id = " + id)) {
      assertThat(rows.next()).isTrue();
      Map<String, Object> columns = new LinkedHashMap<>();
      for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
        if (!rows.getMetaData().getColumnName(i).equals("id")) {
          columns.put(rows.getMetaData().getColumnName(i), rows.getString(i));
        }
      }
      return columns;
    }
  }
}
