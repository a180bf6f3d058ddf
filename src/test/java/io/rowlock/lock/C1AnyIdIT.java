package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.MissingRowsException;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.hibernate.RowLocks;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapsId;
import jakarta.persistence.OneToOne;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Version;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.hibernate.annotations.SQLRestriction;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * C1 to C3 and C6 for ids of several columns, ids that are associations, and ids that are bytes.
 */
class C1AnyIdIT {

  private static final UUID LOW = UUID.fromString("7fffffff-0000-0000-0000-000000000001");
  private static final UUID HIGH = UUID.fromString("80000000-0000-0000-0000-000000000001");

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create extension if not exists citext schema public",
          "create table line (doc uuid, no int, n int not null default 0, ver int not null default 0,"
              + " primary key (no, doc))",
          "create table person (id bigint primary key, name text)",
          "create table passport (person_id bigint primary key references person, n int not null)",
          "create table address (person_id bigint references person, kind text, street text,"
              + " primary key (person_id, kind))",
          "create table visit (person_id bigint references person, day date, n int,"
              + " primary key (person_id, day))",
          "create table reading (sensor varchar(10), at timestamptz, good boolean, n int,"
              + " primary key (sensor, at, good))",
          "create table detail (line_no int, line_doc uuid, pos int, n int not null default 0,"
              + " primary key (pos, line_no, line_doc))",
          "create table sample (sensor text, at timestamp, n int, primary key (sensor, at))",
          "create table word (lang citext, word citext, n int, primary key (lang, word))",
          "create table digest (id bytea primary key, n int)",
          "create table price (currency text, level text, n int, primary key (currency, level))",
          "create table two (a bigint, b bigint, n int, primary key (a, b))",
          "create table two_more (a bigint, b bigint, m text, primary key (a, b))",
          "create table hidden (a bigint, b bigint, gone boolean, primary key (a, b))",
          "create table loose (a bigint, b bigint, n int, primary key (a, b))",
          "create table sole (person_id bigint primary key references person, n int)");

  @Embeddable
  record LineId(UUID doc, int no) {}

  @Entity(name = "line")
  static class Line {
    @EmbeddedId LineId id;
    int n;
    @Version int ver;
  }

  @Entity(name = "person")
  static class Person {
    @Id Long id;
    String name;
  }

  @Entity(name = "passport")
  static class Passport {
    @Id Long id;
    int n;

    @MapsId
    @OneToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "person_id")
    Person person;
  }

  @Embeddable
  record AddressId(Long person, String kind) {}

  @Entity(name = "address")
  static class Address {
    @EmbeddedId AddressId id;
    String street;

    @MapsId("person")
    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "person_id")
    Person person;
  }

  static class VisitId {
    Long person;
    LocalDate day;

    VisitId() {}

    VisitId(Long person, LocalDate day) {
      this.person = person;
      this.day = day;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof VisitId id && id.person.equals(person) && id.day.equals(day);
    }

    @Override
    public int hashCode() {
      return Objects.hash(person, day);
    }
  }

  @Entity(name = "visit")
  @IdClass(VisitId.class)
  static class Visit {
    @Id
    @ManyToOne(fetch = FetchType.EAGER)
    Person person;

    @Id LocalDate day;
    int n;
  }

  record ReadingId(String sensor, Instant at, boolean good) {}

  @Entity(name = "reading")
  @IdClass(ReadingId.class)
  static class Reading {
    @Id String sensor;
    @Id Instant at;
    @Id boolean good;
    Integer n;
  }

  record DetailId(LineId line, int pos) {}

  /** The id of the association has two columns itself. */
  @Entity(name = "detail")
  @IdClass(DetailId.class)
  static class Detail {
    @Id
    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "line_no", referencedColumnName = "no")
    @JoinColumn(name = "line_doc", referencedColumnName = "doc")
    Line line;

    @Id int pos;
    int n;
  }

  record SampleId(String sensor, LocalDateTime at) {}

  @Entity(name = "sample")
  @IdClass(SampleId.class)
  static class Sample {
    @Id String sensor;
    @Id LocalDateTime at;
    Integer n;
  }

  @Embeddable
  record WordId(String lang, String word) {}

  @Entity(name = "word")
  static class Word {
    @EmbeddedId WordId id;
    Integer n;
  }

  @Entity(name = "digest")
  static class Digest {
    @Id byte[] id;
    Integer n;
  }

  enum Level {
    RETAIL,
    BULK
  }

  record Currency(String code) {}

  static class CurrencyConverter implements AttributeConverter<Currency, String> {
    @Override
    public String convertToDatabaseColumn(Currency currency) {
      return currency == null ? null : "cur:" + currency.code();
    }

    @Override
    public Currency convertToEntityAttribute(String text) {
      return text == null ? null : new Currency(text.substring(4));
    }
  }

  @Embeddable
  record PriceId(
      @Convert(converter = CurrencyConverter.class) Currency currency,
      @Enumerated(EnumType.STRING) Level level) {}

  @Entity(name = "price")
  static class Price {
    @EmbeddedId PriceId id;
    Integer n;
  }

  @Embeddable
  record Pair(long a, long b) {}

  @Entity(name = "two")
  @SecondaryTable(name = "two_more")
  static class Two {
    @EmbeddedId Pair id;
    Integer n;

    @Column(table = "two_more")
    String m;
  }

  @Entity(name = "hidden")
  @SQLRestriction("gone = false")
  static class Hidden {
    @EmbeddedId Pair id;
    boolean gone;
  }

  @Entity(name = "loose")
  static class Loose {
    @Id long a;
    @Id long b;
    Integer n;
  }

  @Entity(name = "sole")
  static class Sole {
    @Id @OneToOne Person person;
    Integer n;
  }

  static TestUnit unit;
  static final RowLocks locks = new RowLocks();

  @BeforeAll
  static void open() {
    unit =
        db.unit(
                Line.class,
                Person.class,
                Passport.class,
                Address.class,
                Visit.class,
                Reading.class,
                Word.class,
                Digest.class,
                Price.class,
                Two.class,
                Detail.class,
                Hidden.class,
                Loose.class,
                Sole.class)
            .recording()
            .open();
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "truncate detail, line, person, passport, address, visit, reading, word, digest, price, two,"
            + " two_more, hidden, sole",
        "insert into line select doc::uuid, no from generate_series(3, 1, -1) no,"
            + " unnest(array['"
            + HIGH
            + "', '"
            + LOW
            + "']) doc",
        "insert into person values (2, 'two'), (1, 'one')",
        "insert into passport values (2, 0), (1, 0)",
        "insert into address values (2, 'home', 's'), (1, 'work', 's'), (1, 'home', 's')",
        "insert into visit values (2, '2024-02-29', 0), (1, '2024-03-01', 0), (1, '2024-02-29', 0)",
        "insert into reading values ('b', '2024-02-29T12:00:00.123456Z', true, 0),"
            + " ('a', '2024-02-29T12:00:00Z', false, 0)",
        "insert into word values ('EN', 'Row', 0), ('de', 'Zeile', 0)",
        "insert into digest values ('\\xff00', 0), ('\\x01', 0)",
        "insert into price values ('cur:EUR', 'RETAIL', 0), ('cur:EUR', 'BULK', 0)",
        "insert into two values (2, 1, 0), (1, 2, 0), (1, 1, 0)",
        "insert into two_more values (1, 2, 'm')",
        "insert into hidden values (1, 1, false), (1, 2, true), (2, 1, false)");
  }

  @Test
  void rows_with_an_embedded_id_are_locked_one_by_one_in_the_databases_order_of_all_its_columns()
      throws Exception {
    List<LineId> ids = List.of(line(HIGH, 2), line(LOW, 3), line(HIGH, 1), line(LOW, 2));
    Rival holder = db.rival();
    holder.execute("select from line where doc = ? and no = 2 for update", LOW);
    Future<List<LineId>> batch = Together.start(() -> locked(Line.class, ids));
    int waiting = db.awaitBlockedBy(holder.pid());

    assertThat(
            db.column("select no || ' ' || doc from line order by doc, no for update skip locked"))
        .as("as the database compares uuids, the low one comes first; nothing behind it is held")
        .containsExactly("1 " + LOW, "3 " + LOW, "1 " + HIGH, "2 " + HIGH, "3 " + HIGH);
    holder.commit();
    List<LineId> order = Together.get(batch);
    assertThat(order).containsExactly(line(LOW, 2), line(LOW, 3), line(HIGH, 1), line(HIGH, 2));
    assertThat(waiting).isPositive();
  }

  @Test
  void the_row_before_the_held_one_is_locked_and_the_row_behind_it_is_not() throws Exception {
    Rival holder = db.rival();
    holder.execute("select from line where doc = ? and no = 3 for update", LOW);
    Future<List<LineId>> batch =
        Together.start(
            () -> locked(Line.class, List.of(line(HIGH, 1), line(LOW, 3), line(LOW, 1))));
    db.awaitBlockedBy(holder.pid());

    assertThat(db.column("select no from line where doc = ? for update skip locked", LOW))
        .as("1 is held by the batch, 3 by the rival")
        .containsExactly(2);
    assertThat(db.column("select no from line where doc = ? for update skip locked", HIGH))
        .containsExactlyInAnyOrder(1, 2, 3);
    holder.commit();
    assertThat(Together.get(batch)).hasSize(3);
  }

  @Test
  void a_composite_id_is_one_statement_ordered_in_sql_that_uses_the_primary_key() throws Exception {
    db.execute(
        "insert into line select gen_random_uuid(), no from generate_series(1, 20000) no",
        "analyze line");
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          lock(em, Line.class, List.of(line(LOW, 3), line(LOW, 1)));
          assertThat(unit.log().work())
              .singleElement()
              .asString()
              .endsWith("order by e.doc, e.no for no key update of e) x");
        });
    String plan =
        db.column(
                "explain select e.doc from line e join unnest(coalesce('{"
                    + LOW
                    + "}', array(select doc from line where false)), coalesce('{1}', array(select no"
                    + " from line where false))) w (c1, c2) on e.doc = w.c1 and e.no = w.c2"
                    + " order by e.doc, e.no for no key update of e")
            .toString();
    assertThat(plan).contains("line_pkey");
  }

  @Test
  void fifty_thousand_composite_ids_are_one_statement() throws Exception {
    db.execute(
        "truncate two, two_more",
        "insert into two select a, 1, 0 from generate_series(1, 50000) a");
    db.execute("insert into line select '" + LOW + "', no from generate_series(4, 50000) no");
    List<LineId> ids =
        new ArrayList<>(IntStream.rangeClosed(1, 50_000).mapToObj(i -> line(LOW, i)).toList());
    Collections.shuffle(ids, new Random(1));
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          Map<LineId, Line> locked = lock(em, Line.class, ids);
          assertThat(unit.log().work()).hasSize(1);
          assertThat(locked).hasSize(50_000);
          assertThat(locked.keySet().stream().map(LineId::no)).isSorted();
        });
    Transaction.run(
        unit,
        em ->
            assertThat(
                    lock(
                        em,
                        Two.class,
                        IntStream.rangeClosed(1, 50_000).mapToObj(i -> new Pair(i, 1)).toList()))
                .hasSize(50_000));
  }

  @Test
  void versions_of_composite_ids_are_raised_by_one_statement() throws Exception {
    Transaction.run(
        unit,
        em -> {
          Line managed = em.find(Line.class, line(LOW, 1));
          unit.log().clear();
          Map<LineId, Long> versions =
              locks.incrementVersions(em, Line.class, List.of(line(HIGH, 1), line(LOW, 1)));
          assertThat(List.copyOf(versions.entrySet()))
              .containsExactly(Map.entry(line(LOW, 1), 1L), Map.entry(line(HIGH, 1), 1L));
          assertThat(unit.log().work().get(1)).startsWith("update line e set ver = ");
          assertThat(managed.ver).isEqualTo(1);
        });
    assertThat(db.number("select sum(ver) from line")).isEqualTo(2);
  }

  @Test
  void missing_composite_ids_are_named_readably() throws Exception {
    Transaction.run(
        unit,
        em -> {
          MissingRowsException missing =
              catchThrowableOfType(
                  MissingRowsException.class,
                  () ->
                      lock(
                          em,
                          Visit.class,
                          List.of(
                              new VisitId(1L, LocalDate.of(2024, 2, 29)),
                              new VisitId(7L, LocalDate.of(2024, 2, 29)))));
          assertThat(missing.ids()).containsExactly(new VisitId(7L, LocalDate.of(2024, 2, 29)));
          assertThat(missing)
              .hasMessageContaining("day=2024-02-29")
              .hasMessageContaining("person=7");
        });
  }

  @Test
  void a_managed_instance_with_a_composite_id_is_fresh() throws Exception {
    Transaction.run(
        unit,
        em -> {
          Line stale = em.find(Line.class, line(LOW, 1));
          db.execute("update line set n = 7, ver = 3 where no = 1");
          assertThat(lock(em, Line.class, List.of(line(LOW, 1))).get(line(LOW, 1))).isSameAs(stale);
          assertThat(stale.n).isEqualTo(7);
          stale.n++;
        });
    assertThat(db.column("select n from line where no = 1 order by doc")).containsExactly(8, 7);
  }

  @Test
  void ids_that_are_associations_are_locked_by_the_id_of_the_other_entity() throws Exception {
    assertThat(locked(Passport.class, List.of(2L, 1L))).containsExactly(1L, 2L);
    assertThat(locked(Address.class, List.of(new AddressId(2L, "home"), new AddressId(1L, "work"))))
        .containsExactly(new AddressId(1L, "work"), new AddressId(2L, "home"));
    LocalDate day = LocalDate.of(2024, 2, 29);
    assertThat(
            locked(
                Visit.class,
                List.of(
                    new VisitId(2L, day), new VisitId(1L, day.plusDays(1)), new VisitId(1L, day))))
        .hasSize(3);
  }

  @Test
  void times_truth_values_converted_ones_and_enums_are_sent_as_they_are_stored() throws Exception {
    Instant noon = Instant.parse("2024-02-29T12:00:00Z");
    assertThat(
            locked(
                Reading.class,
                List.of(
                    new ReadingId("b", noon.plusNanos(123_456_000), true),
                    new ReadingId("a", noon, false))))
        .hasSize(2);
    Currency euro = new Currency("EUR");
    assertThat(
            locked(
                Price.class,
                List.of(new PriceId(euro, Level.RETAIL), new PriceId(euro, Level.BULK))))
        .containsExactly(new PriceId(euro, Level.BULK), new PriceId(euro, Level.RETAIL));
  }

  @Test
  void an_association_with_a_composite_id_can_be_a_part_of_the_id() throws Exception {
    db.execute(
        "insert into detail values (2, '"
            + LOW
            + "', 1), (1, '"
            + HIGH
            + "', 1), (1, '"
            + LOW
            + "', 2)");
    assertThat(
            locked(
                Detail.class,
                List.of(
                    new DetailId(line(HIGH, 1), 1),
                    new DetailId(line(LOW, 1), 2),
                    new DetailId(line(LOW, 2), 1))))
        .containsExactly(
            new DetailId(line(LOW, 1), 2),
            new DetailId(line(LOW, 2), 1),
            new DetailId(line(HIGH, 1), 1));
  }

  @Test
  void overlapping_batches_of_composite_ids_lose_nothing_and_never_deadlock() throws Exception {
    db.execute("insert into line select '" + HIGH + "', no from generate_series(4, 60) no");
    long deadlocks = db.deadlocks();
    Together.run(
        8,
        thread -> {
          Random random = new Random(thread);
          List<LineId> ids =
              new ArrayList<>(IntStream.rangeClosed(1, 60).mapToObj(i -> line(HIGH, i)).toList());
          for (int round = 0; round < 30; round++) {
            Collections.shuffle(ids, random);
            Transaction.run(
                unit, em -> locks.incrementVersions(em, Line.class, ids.subList(0, 20)));
          }
          return null;
        });
    assertThat(db.number("select sum(ver) from line")).isEqualTo(8 * 30 * 20);
    assertThat(db.deadlocks()).isEqualTo(deadlocks);
  }

  @Test
  void timestamps_are_on_the_clock_on_which_hibernate_stores_them() throws Exception {
    for (String zone : List.of("Asia/Tokyo", "UTC")) {
      TestUnit there = db.unit(Sample.class).property("hibernate.jdbc.time_zone", zone).open();
      SampleId id = new SampleId(zone, LocalDateTime.of(2024, 2, 29, 12, 0));
      Transaction.run(
          there,
          em -> {
            Sample sample = new Sample();
            sample.sensor = id.sensor();
            sample.at = id.at();
            em.persist(sample);
          });
      Transaction.run(there, em -> assertThat(lock(em, Sample.class, List.of(id))).containsKey(id));
    }
    assertThat(db.number("select count(distinct at) from sample")).isEqualTo(2);
  }

  @Test
  void what_the_database_holds_to_be_the_same_composite_id_is_one_row() throws Exception {
    assertThat(
            locked(
                Word.class,
                List.of(
                    new WordId("en", "row"), new WordId("De", "ZEILE"), new WordId("EN", "ROW"))))
        .containsExactly(new WordId("de", "Zeile"), new WordId("EN", "Row"));
    Transaction.run(
        unit,
        em ->
            assertThat(
                    catchThrowableOfType(
                            MissingRowsException.class,
                            () ->
                                lock(
                                    em,
                                    Word.class,
                                    List.of(new WordId("en", "row"), new WordId("en", "zeile"))))
                        .ids())
                .containsExactly(new WordId("en", "zeile")));
  }

  @Test
  void bytes_are_ordered_as_bytes_and_the_same_ones_count_once() throws Exception {
    byte[] high = {(byte) 0xff, 0};
    List<byte[]> locked = locked(Digest.class, List.of(high, new byte[] {1}, high.clone()));
    assertThat(locked).hasSize(2);
    assertThat(locked.get(0)).containsExactly(1);
    assertThat(locked.get(1)).containsExactly(0xff, 0);
    Transaction.run(
        unit,
        em ->
            assertThatExceptionOfType(MissingRowsException.class)
                .isThrownBy(() -> lock(em, Digest.class, List.of(high, new byte[] {(byte) 0xab})))
                .withMessageContaining("[ab]"));
  }

  @Test
  void both_tables_of_a_composite_id_are_locked() throws Exception {
    Transaction.run(
        unit,
        em -> {
          Map<Pair, Two> locked = lock(em, Two.class, List.of(new Pair(2, 1), new Pair(1, 2)));
          assertThat(List.copyOf(locked.keySet())).containsExactly(new Pair(1, 2), new Pair(2, 1));
          assertThat(locked.get(new Pair(1, 2)).m).isEqualTo("m");
          assertThat(db.column("select a from two_more for update skip locked")).isEmpty();
          assertThat(db.column("select b from two for update skip locked")).containsExactly(1L);
        });
  }

  @Test
  void a_row_with_a_composite_id_that_the_restriction_hides_is_missing_managed_or_not()
      throws Exception {
    Transaction.run(
        unit,
        em -> {
          em.find(Hidden.class, new Pair(1, 1));
          em.find(Hidden.class, new Pair(2, 1));
          db.execute("update hidden set gone = true where a = 2");
          assertThat(
                  catchThrowableOfType(
                          MissingRowsException.class,
                          () ->
                              lock(
                                  em,
                                  Hidden.class,
                                  List.of(new Pair(2, 1), new Pair(1, 2), new Pair(1, 1))))
                      .ids())
              .containsExactly(new Pair(2, 1), new Pair(1, 2));
        });
  }

  @Test
  void a_part_that_is_null_is_refused() throws Exception {
    Transaction.run(
        unit,
        em ->
            assertThatIllegalArgumentException()
                .isThrownBy(() -> lock(em, Address.class, List.of(new AddressId(1L, null))))
                .withMessageContaining("kind=null")
                .withMessageContaining("column kind"));
  }

  @Test
  void an_id_without_a_class_of_its_own_is_refused_with_the_remedy() throws Exception {
    Transaction.run(
        unit,
        em -> {
          for (Class<?> type : Arrays.asList(Loose.class, Sole.class)) {
            assertThatExceptionOfType(UnsupportedMappingException.class)
                .isThrownBy(() -> locks.lock(em, type, List.of(1L), Locking.defaults()))
                .withMessageContaining(type.getName())
                .withMessageContaining("@IdClass");
          }
        });
  }

  private static LineId line(UUID doc, int no) {
    return new LineId(doc, no);
  }

  private static <K, E> Map<K, E> lock(EntityManager em, Class<E> type, List<? extends K> ids) {
    return locks.lock(em, type, ids, Locking.defaults());
  }

  private static <K> List<K> locked(Class<?> type, List<K> ids) throws Exception {
    return Transaction.call(
        unit,
        em -> {
          Map<K, ?> locked = lock(em, type, ids);
          assertThat(locked.values()).allMatch(type::isInstance);
          return List.copyOf(locked.keySet());
        });
  }
}
