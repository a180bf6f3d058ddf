package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rowlock.testing.Postgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B7: column by column, a row of create-once is the row that persist stores. */
class B7WideRowIT {

  @RegisterExtension static final Postgres db = new Postgres();

  static WideTable wide;
  static Creating create;

  @BeforeAll
  static void open() throws Exception {
    wide = WideTable.in(db);
    create = new Creating(wide.unit());
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate wide");
  }

  @Test
  void every_attribute_with_a_value() throws Exception {
    wide.persist(wide.filled("persist"));
    assertThat(create.getOrCreate(wide.filled("rowlock")).created()).isTrue();
    assertThat(create.insertIfAbsent(wide.filled("insert")).inserted()).isTrue();
    create.upsert(wide.filled("upsert"));

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
    wide.persist(new Wide("persist"));
    assertThat(create.getOrCreate(new Wide("rowlock")).created()).isTrue();
    assertThat(create.insertIfAbsent(new Wide("insert")).inserted()).isTrue();
    create.upsert(new Wide("upsert"));
    assertAlike(row("persist"), "rowlock", "insert", "upsert");
  }

  @Test
  void each_attribute_changed_alone_is_an_update_and_again_is_none() throws Exception {
    create.getOrCreate(new Wide("rowlock"));
    for (String attribute : WideTable.replaced()) {
      Upsert one = Upsert.by("slug").replacing(attribute);
      assertThat(create.upsert(wide.filled("rowlock"), one).outcome())
          .as(attribute)
          .isEqualTo(UpsertResult.Outcome.UPDATED);
      assertThat(create.upsert(wide.filled("rowlock"), one).outcome())
          .as(attribute + " again")
          .isEqualTo(UpsertResult.Outcome.UNCHANGED);
    }
    wide.persistThenFill("persist");
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
    for (Wide candidate : new Wide[] {wide.filled("full"), new Wide("empty")}) {
      Wide answered = create.getOrCreate(candidate).entity();
      Wide again = create.getOrCreate(new Wide(candidate.slug)).entity();
      Wide found = wide.unit().factory().callInTransaction(em -> em.find(Wide.class, answered.id));
      for (Wide other : new Wide[] {again, found}) {
        assertThat(answered)
            .usingRecursiveComparison()
            .ignoringFields("target", "single", "keyed", "outer.target")
            .isEqualTo(other);
      }
    }
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
