package io.rowlock.create;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.AttributeOverride;
import jakarta.persistence.Basic;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.EnumeratedValue;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToOne;
import jakarta.persistence.PrePersist;
import jakarta.persistence.Transient;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.hibernate.annotations.ColumnDefault;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.CreationTimestamp;
import org.hibernate.annotations.CurrentTimestamp;
import org.hibernate.annotations.Formula;
import org.hibernate.annotations.Generated;
import org.hibernate.annotations.GeneratedColumn;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.NaturalId;
import org.hibernate.annotations.SourceType;
import org.hibernate.annotations.TimeZoneStorage;
import org.hibernate.annotations.TimeZoneStorageType;
import org.hibernate.annotations.UpdateTimestamp;
import org.hibernate.type.NumericBooleanConverter;
import org.hibernate.type.SqlTypes;

/** One attribute of every kind. */
@Entity(name = "wide")
class Wide {

  /** What may differ between two rows that are stored alike. */
  static final List<String> OWN = List.of("id", "slug", "slug_length");

  static final List<String> TIMES = List.of("created", "changed", "clock");

  enum Mood {
    GOOD,
    BAD
  }

  enum Coded {
    FIRST("f"),
    SECOND("s");

    @EnumeratedValue final String code;

    Coded(String code) {
      this.code = code;
    }
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

  @Embeddable
  static class Inner {
    @Column(name = "inner_number")
    Integer number;

    @Convert(converter = MoneyConverter.class)
    @Column(name = "inner_price")
    Money price;
  }

  @Embeddable
  static class Outer {
    @Column(name = "outer_text")
    String text;

    Inner inner;

    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "outer_target")
    Target target;
  }

  @Embeddable
  record Pair(String one, Integer two) {}

  @Embeddable
  static class PairKey implements java.io.Serializable {
    private static final long serialVersionUID = 1L;
    String area;
    int number;

    @Override
    public boolean equals(Object other) {
      return other instanceof PairKey that && area.equals(that.area) && number == that.number;
    }

    @Override
    public int hashCode() {
      return area.hashCode() + number;
    }
  }

  @Entity(name = "target")
  static class Target {
    @Id Long id;
  }

  @Entity(name = "keyed_target")
  static class KeyedTarget {
    @jakarta.persistence.EmbeddedId PairKey id;
  }

  @Id @GeneratedValue UUID id;
  @NaturalId String slug;
  @Version int version;

  boolean flag;
  byte tiny;
  short little;
  int number;
  long big;
  float real;
  double precise;
  char letter = 'a';

  Boolean maybe;
  Byte maybeTiny;
  Short maybeLittle;
  Integer maybeNumber;
  Long maybeBig;
  Float maybeReal;
  Double maybePrecise;
  Character maybeLetter;

  String text;

  @Column(length = 40_000)
  String longText;

  @Column(precision = 12, scale = 3)
  BigDecimal price;

  @Column(precision = 30)
  BigInteger huge;

  byte[] data;
  UUID token;

  @Enumerated(EnumType.STRING)
  Mood textMood;

  @Enumerated(EnumType.ORDINAL)
  Mood numberMood;

  @JdbcTypeCode(SqlTypes.NAMED_ENUM)
  Mood namedMood;

  @Enumerated(EnumType.STRING)
  Coded coded;

  @Convert(converter = NumericBooleanConverter.class)
  Boolean asNumber;

  @Convert(converter = MoneyConverter.class)
  Money money;

  @JdbcTypeCode(SqlTypes.JSON)
  Map<String, Object> doc;

  String[] tags;
  int[] numbers;
  List<String> names;
  UUID[] tokens;
  Mood[] moods;
  Instant[] instants;

  Instant instant;
  OffsetDateTime atOffset;

  @TimeZoneStorage(TimeZoneStorageType.COLUMN)
  OffsetDateTime zoned;

  ZonedDateTime zonedText;
  LocalDateTime local;

  @Column(name = "local_seconds", secondPrecision = 0)
  LocalDateTime localSeconds;

  LocalDate day;
  LocalTime time;
  Duration duration;
  Year year;
  ZoneId zone;
  ZoneOffset zoneOffset;
  Locale locale;
  Currency currency;
  Class<?> type;
  InetAddress address;

  Outer outer;
  Pair pair;

  @Embedded
  @AttributeOverride(name = "number", column = @Column(name = "second_number"))
  @AttributeOverride(name = "price", column = @Column(name = "second_price"))
  Inner second;

  @ManyToOne(fetch = FetchType.LAZY)
  Target target;

  @OneToOne(fetch = FetchType.LAZY)
  Target single;

  @ManyToOne(fetch = FetchType.LAZY)
  @JoinColumn(name = "keyed_area", referencedColumnName = "area")
  @JoinColumn(name = "keyed_number", referencedColumnName = "number")
  KeyedTarget keyed;

  @Basic(fetch = FetchType.LAZY)
  String lazy;

  @Column(insertable = false)
  String notInserted;

  @Column(insertable = false, updatable = false)
  @ColumnDefault("'untouched'")
  String readOnly;

  @ColumnDefault("'by the database'")
  @Generated
  String defaulted;

  @GeneratedColumn("char_length(slug)")
  Integer slugLength;

  @ColumnTransformer(write = "upper(?)", read = "lower(loud)")
  String loud;

  @Formula("number * 2")
  Integer twice;

  @CreationTimestamp Instant created;
  @UpdateTimestamp LocalDateTime changed;

  @CurrentTimestamp(source = SourceType.DB)
  Instant clock;

  String prepared;
  @Transient String forgotten = "x";

  protected Wide() {}

  Wide(String slug) {
    this.slug = slug;
  }

  @PrePersist
  void prepare() {
    prepared = "text was " + text;
  }

  /** Gives every attribute a value. */
  Wide fill(Target one, KeyedTarget other) throws Exception {
    flag = true;
    tiny = -1;
    little = -2;
    number = 3;
    big = 1L << 40;
    real = 1.5f;
    precise = 0.1;
    letter = 'ö';
    maybe = false;
    maybeTiny = 1;
    maybeLittle = 2;
    maybeNumber = 3;
    maybeBig = 4L;
    maybeReal = Float.MIN_VALUE;
    maybePrecise = Math.PI;
    maybeLetter = ' ';
    text = "it's a \"text\" with ? and :colon";
    longText = "long ".repeat(60);
    price = new BigDecimal("12.3456");
    huge = BigInteger.TEN.pow(20);
    data = new byte[] {0, 1, -1};
    token = UUID.fromString("f0000000-0000-0000-0000-00000000000a");
    textMood = Mood.BAD;
    numberMood = Mood.BAD;
    namedMood = Mood.BAD;
    coded = Coded.SECOND;
    asNumber = true;
    money = new Money(new BigDecimal("1.50"), "EUR");
    doc = new TreeMap<>(Map.of("k", "v"));
    tags = new String[] {"a", "b, c", "", null};
    numbers = new int[] {3, 1, 2};
    names = List.of("x", "y");
    tokens = new UUID[] {token};
    moods = new Mood[] {Mood.BAD, Mood.GOOD};
    instants = new Instant[] {Instant.parse("2024-05-06T07:08:09.123456Z")};
    instant = Instant.parse("2024-05-06T07:08:09.123456789Z");
    atOffset = OffsetDateTime.parse("2024-05-06T07:08:09.5+02:00");
    zoned = OffsetDateTime.parse("2024-05-06T07:08:09.5+05:30");
    zonedText = ZonedDateTime.parse("2024-05-06T07:08:09+02:00[Europe/Rome]");
    local = LocalDateTime.parse("2024-10-27T02:30:00.000001");
    localSeconds = LocalDateTime.parse("2024-10-27T02:30:00.6");
    day = LocalDate.of(2024, 2, 29);
    time = LocalTime.of(23, 59, 59);
    duration = Duration.ofSeconds(5, 7);
    year = Year.of(1999);
    zone = ZoneId.of("Europe/Rome");
    zoneOffset = ZoneOffset.ofHours(-3);
    locale = Locale.forLanguageTag("de-CH");
    currency = Currency.getInstance("CHF");
    type = String.class;
    address = InetAddress.getByName("10.1.2.3");
    outer = new Outer();
    outer.text = "o";
    outer.inner = new Inner();
    outer.inner.number = 5;
    outer.inner.price = money;
    outer.target = one;
    pair = new Pair("p", 2);
    second = new Inner();
    second.number = 6;
    target = one;
    single = one;
    keyed = other;
    lazy = "l";
    notInserted = "never inserted";
    readOnly = "never written";
    defaulted = "never sent";
    loud = "loud";
    return this;
  }
}
