package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rowlock.create.Wide.KeyedTarget;
import io.rowlock.create.Wide.PairKey;
import io.rowlock.create.Wide.Target;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B7: column by column, a row of create-once is the row that persist stores. */
class B7WideRowIT {

  @RegisterExtension static final Postgres db = new Postgres();

  static TestUnit unit;
  static Creating create;
  static Target target;
  static KeyedTarget keyed;

  @BeforeAll
  static void open() throws Exception {
    unit =
        db.unit(Wide.class, Target.class, KeyedTarget.class)
            .property("hibernate.hbm2ddl.auto", "create-only")
            .property(
                "hibernate.physical_naming_strategy",
                "org.hibernate.boot.model.naming.PhysicalNamingStrategySnakeCaseImpl")
            .property("hibernate.type.json_format_mapper", new PlainJson())
            .open();
    db.execute(
        "do $$ begin execute (select 'alter table wide drop constraint ' || quote_ident(conname)"
            + " from pg_constraint where conrelid = 'wide'::regclass and contype = 'u'"
            + " and pg_get_constraintdef(oid) like '%(single_id)%'); end $$");
    create = new Creating(unit);
    unit.factory()
        .runInTransaction(
            em -> {
              target = new Target();
              target.id = 1L;
              em.persist(target);
              keyed = new KeyedTarget();
              keyed.id = new PairKey();
              keyed.id.area = "a";
              keyed.id.number = 7;
              em.persist(keyed);
            });
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate wide");
  }

  @Test
  void every_attribute_with_a_value() throws Exception {
    persist(filled("persist"));
    assertThat(create.getOrCreate(filled("rowlock")).created()).isTrue();
    assertThat(create.insertIfAbsent(filled("insert")).inserted()).isTrue();
    create.upsert(filled("upsert"));

    Map<String, Object> wanted = row("persist");
    assertThat(wanted).hasSizeGreaterThan(70);
    assertThat(wanted.entrySet())
        .filteredOn(column -> column.getValue() == null)
        .extracting(Map.Entry::getKey)
        .containsExactly("not_inserted");
    assertAlike(wanted, "rowlock", "insert", "upsert");
  }

  @Test
  void every_attribute_without_a_value() throws Exception {
    persist(new Wide("persist"));
    assertThat(create.getOrCreate(new Wide("rowlock")).created()).isTrue();
    assertThat(create.insertIfAbsent(new Wide("insert")).inserted()).isTrue();
    create.upsert(new Wide("upsert"));
    assertAlike(row("persist"), "rowlock", "insert", "upsert");
  }

  @Test
  void each_attribute_changed_alone_is_an_update_and_again_is_none() throws Exception {
    create.getOrCreate(new Wide("rowlock"));
    for (java.lang.reflect.Field field : Wide.class.getDeclaredFields()) {
      Wide full = filled("rowlock");
      if (java.lang.reflect.Modifier.isStatic(field.getModifiers())
          || !isReplaceable(field.getName())) {
        continue;
      }
      Upsert one = Upsert.by("slug").replacing(field.getName());
      assertThat(create.upsert(full, one).outcome())
          .as(field.getName())
          .isEqualTo(UpsertResult.Outcome.UPDATED);
      assertThat(create.upsert(filled("rowlock"), one).outcome())
          .as(field.getName() + " again")
          .isEqualTo(UpsertResult.Outcome.UNCHANGED);
    }
    unit.factory()
        .runInTransaction(
            em -> {
              Wide persisted = new Wide("persist");
              em.persist(persisted);
              em.flush();
              fill(persisted);
            });
    Map<String, Object> wanted = row("persist");
    Map<String, Object> stored = row("rowlock");
    for (String other : new String[] {"version", "prepared", "defaulted"}) {
      wanted.remove(other);
      stored.remove(other);
    }
    assertThat(stored).isEqualTo(wanted);
  }

  @Test
  void what_is_answered_is_what_is_found() throws Exception {
    for (Wide candidate : new Wide[] {filled("full"), new Wide("empty")}) {
      Wide answered = create.getOrCreate(candidate).entity();
      Wide again = create.getOrCreate(new Wide(candidate.slug)).entity();
      Wide found = unit.factory().callInTransaction(em -> em.find(Wide.class, answered.id));
      for (Wide other : new Wide[] {again, found}) {
        assertThat(answered)
            .usingRecursiveComparison()
            .ignoringFields("target", "single", "keyed", "outer.target")
            .isEqualTo(other);
      }
    }
  }

  private static boolean isReplaceable(String attribute) {
    return !List.of(
            "id",
            "slug",
            "version",
            // null there and stays null, or of no column that an update writes
            "readOnly",
            "defaulted",
            "slugLength",
            "twice",
            "created",
            "changed",
            "clock",
            "prepared",
            "forgotten")
        .contains(attribute);
  }

  private static Wide filled(String slug) throws Exception {
    return new Wide(slug).fill(target, keyed);
  }

  private static void fill(Wide row) {
    try {
      row.fill(target, keyed);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void persist(Wide row) {
    unit.factory().runInTransaction(em -> em.persist(row));
  }

  private static void assertAlike(Map<String, Object> wanted, String... slugs) throws Exception {
    for (String slug : slugs) {
      assertThat(row(slug)).as(slug).isEqualTo(wanted);
      for (String time : Wide.TIMES) {
        Instant mine = time(slug, time);
        assertThat(mine).as(time).isCloseTo(time("persist", time), within(1, ChronoUnit.MINUTES));
      }
    }
  }

  private static Instant time(String slug, String column) throws Exception {
    return ((Timestamp) db.one("select " + column + " from wide where slug = ?", slug)).toInstant();
  }

  /** All columns but those that differ between any two rows, as text. */
  private static Map<String, Object> row(String slug) throws Exception {
    try (Connection connection = db.connect();
        PreparedStatement statement =
            connection.prepareStatement("select * from wide where slug = ?")) {
      statement.setString(1, slug);
      try (ResultSet rows = statement.executeQuery()) {
        assertThat(rows.next()).as(slug).isTrue();
        Map<String, Object> columns = new LinkedHashMap<>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          String name = rows.getMetaData().getColumnName(i);
          if (!Wide.OWN.contains(name) && !Wide.TIMES.contains(name)) {
            columns.put(name, rows.getString(i));
          }
        }
        return columns;
      }
    }
  }
}
