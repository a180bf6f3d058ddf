package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;

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
import jakarta.persistence.Id;
import jakarta.persistence.Lob;
import jakarta.persistence.Version;
import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.Formula;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.TimeZoneStorage;
import org.hibernate.annotations.TimeZoneStorageType;
import org.hibernate.type.SqlTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C2: an attribute of any type is fresh, and costs no statement of its own. */
class C2EveryTypeFreshIT {

  @RegisterExtension static final Postgres db = new Postgres();

  static TestUnit unit;
  static Rowlock rowlock;

  enum Mood {
    GOOD,
    BAD
  }

  record Money(BigDecimal amount) {}

  static final class MoneyConverter implements AttributeConverter<Money, String> {
    @Override
    public String convertToDatabaseColumn(Money value) {
      return value == null ? "nothing" : value.amount().toString();
    }

    @Override
    public Money convertToEntityAttribute(String value) {
      return value == null || value.equals("nothing") ? null : new Money(new BigDecimal(value));
    }
  }

  @Embeddable
  record Inner(Integer depth, @Convert(converter = MoneyConverter.class) Money worth) {}

  @Embeddable
  static class Outer {
    String label;
    Inner inner;
  }

  @Entity(name = "much")
  static class Much {
    @Id Long id;
    @Version Short ver;

    boolean flag;
    byte tiny;
    float real;
    Double precise;
    Character letter;
    String text;

    @Column(precision = 12, scale = 3)
    BigDecimal price;

    byte[] data;
    @Lob String large;
    UUID token;

    @Enumerated(EnumType.STRING)
    Mood textMood;

    @Enumerated(EnumType.ORDINAL)
    Mood numberMood;

    @JdbcTypeCode(SqlTypes.NAMED_ENUM)
    Mood namedMood;

    @Convert(converter = MoneyConverter.class)
    Money money;

    String[] tags;
    int[] numbers;
    List<String> names;
    Instant instant;
    OffsetDateTime atOffset;

    @TimeZoneStorage(TimeZoneStorageType.COLUMN)
    OffsetDateTime zoned;

    ZonedDateTime inZone;
    LocalDateTime local;
    LocalDate day;
    LocalTime time;
    Duration duration;
    Date old;
    Class<?> type;
    Outer outer;

    @ColumnTransformer(write = "upper(?)", read = "lower(loud)")
    String loud;

    @Formula("length(text)")
    Integer length;

    Much fill() {
      flag = true;
      tiny = -1;
      real = 1.5f;
      precise = 0.1;
      letter = 'ö';
      text = "text";
      price = new BigDecimal("12.346");
      data = new byte[] {0, 1, -1};
      large = "large";
      token = UUID.fromString("f0000000-0000-0000-0000-00000000000a");
      textMood = Mood.BAD;
      numberMood = Mood.BAD;
      namedMood = Mood.BAD;
      money = new Money(new BigDecimal("1.50"));
      tags = new String[] {"a", "b, c", "", null};
      numbers = new int[] {1, 2};
      names = List.of("one", "two");
      instant = Instant.parse("2024-05-06T07:08:09.123456Z");
      atOffset = OffsetDateTime.parse("2024-05-06T07:08:09.5+02:00");
      zoned = OffsetDateTime.parse("2024-05-06T07:08:09.5+02:00");
      inZone = ZonedDateTime.parse("2024-05-06T07:08:09.5+02:00");
      local = LocalDateTime.parse("2024-10-27T02:30:00.000001");
      day = LocalDate.of(2024, 2, 29);
      time = LocalTime.of(23, 59, 59);
      duration = Duration.ofSeconds(5, 7);
      old = new Date(1_700_000_000_123L);
      type = String.class;
      outer = new Outer();
      outer.label = "label";
      outer.inner = new Inner(5, money);
      loud = "loud";
      return this;
    }
  }

  @BeforeAll
  static void open() {
    unit = db.unit(Much.class).property("hibernate.hbm2ddl.auto", "create-only").recording().open();
    rowlock = Rowlock.of(unit.factory());
  }

  @AfterAll
  static void close() {
    unit.close();
  }

  /** Of each kind two, without values and with them. */
  @BeforeEach
  void rows() throws Exception {
    db.execute("truncate much");
    for (long id : List.of(1L, 2L, 3L, 4L)) {
      unit.factory()
          .runInTransaction(
              em -> {
                Much row = new Much();
                row.id = id;
                em.persist(id > 2 ? row.fill() : row);
              });
    }
  }

  private static Stream<Field> attributes() {
    return Stream.of(Much.class.getDeclaredFields())
        .filter(field -> !List.of("id", "ver", "length").contains(field.getName()));
  }

  @Test
  void rows_that_have_not_changed_are_compared_by_one_query() {
    rowlock.run(
        work -> {
          work.entityManager().createQuery("from much", Much.class).getResultList();
          unit.log().clear();
          work.lock(Much.class, List.of(1L, 2L, 3L, 4L));
          assertThat(unit.log().work()).hasSize(1 + 1);
        });
  }

  @Test
  void each_attribute_gets_a_value_and_loses_it() {
    for (Field field : attributes().toList()) {
      for (long id : List.of(1L, 3L)) {
        rowlock.run(
            work -> {
              List<Much> managed =
                  work.entityManager()
                      .createQuery("from much order by id", Much.class)
                      .getResultList();
              elsewhere(id, field, id == 1 ? new Much().fill() : new Much());
              unit.log().clear();

              work.lock(Much.class, List.of(1L, 2L, 3L, 4L));

              assertThat(unit.log().work()).as(field.getName()).hasSize(1 + 1);
              for (Much row : managed) {
                assertThat(row)
                    .as("%s of %d", field.getName(), row.id)
                    .usingRecursiveComparison()
                    .isEqualTo(stored(row.id));
              }
              unit.log().clear();
              work.entityManager().flush();
              assertThat(unit.log().work()).as(field.getName()).isEmpty();
            });
      }
    }
    assertThat(attributes()).hasSizeGreaterThan(25);
  }

  private static void elsewhere(long id, Field field, Much with) {
    unit.factory()
        .runInTransaction(
            em -> {
              try {
                field.set(em.find(Much.class, id), field.get(with));
              } catch (IllegalAccessException e) {
                throw new AssertionError(e);
              }
            });
  }

  private static Much stored(long id) {
    return unit.factory().callInTransaction(em -> em.find(Much.class, id));
  }
}
