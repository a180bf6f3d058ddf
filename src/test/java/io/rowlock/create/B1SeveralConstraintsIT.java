package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.testing.Await;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * B1: one row per key, where rows with the same key agree in what other constraints make unique.
 *
 * <p>The first index of each table holds up an insert after it has looked at the arbiter and before
 * it has entered its row anywhere else: in the gap in which two inserts of one row do not see each
 * other.
 */
class B1SeveralConstraintsIT {

  /** What the first index asks for. */
  private static final long GAP = 4711;

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create function held(bigint) returns bigint language plpgsql immutable as $$ begin"
              + " perform pg_catalog.pg_advisory_xact_lock_shared("
              + GAP
              + "); return $1; end $$",
          "create table badge (id bigint not null, slug text not null, email text, tag text,"
              + " version integer not null)",
          "create index badge_gap on badge (held(id))",
          "alter table badge add primary key (id), add unique (email),"
              + " add exclude using btree (tag with =)",
          "alter table badge add constraint badge_slug_key unique (slug)",
          "create table later (id bigint primary key, slug text not null unique,"
              + " email text unique deferrable, version integer not null)",
          "create table gone (id bigint primary key, slug text not null constraint gone_key unique,"
              + " version integer not null)");

  static TestUnit unit;
  static Rowlock rowlock;

  /** Each answers whether it created the row. */
  private interface Form {
    boolean create(UnitOfWork work, Badge candidate);
  }

  private static final Map<String, Form> FORMS = new LinkedHashMap<>();

  static {
    FORMS.put(
        "getOrCreate", (work, badge) -> work.getOrCreate(badge, GetOrCreate.by("slug")).created());
    FORMS.put(
        "insertIfAbsent",
        (work, badge) -> work.insertIfAbsent(badge, InsertIfAbsent.by("slug")).inserted());
    FORMS.put(
        "upsert",
        (work, badge) -> work.upsert(badge, Upsert.by("slug")).outcome() == Outcome.CREATED);
    FORMS.put(
        "getOrCreateAll",
        (work, badge) ->
            work.getOrCreateAll(List.of(badge), GetOrCreate.by("slug")).get(0).created());
    FORMS.put(
        "insertIfAbsentAll",
        (work, badge) ->
            work.insertIfAbsentAll(List.of(badge), InsertIfAbsent.by("slug")).get(0).inserted());
    FORMS.put(
        "upsertAll",
        (work, badge) ->
            work.upsertAll(List.of(badge), Upsert.by("slug")).get(0).outcome() == Outcome.CREATED);
  }

  @BeforeAll
  static void open() {
    unit = db.unit(Badge.class, Later.class, Gone.class).recording().open();
    rowlock = Rowlock.of(unit.factory());
    // what the catalog says is asked for at the first use
    FORMS.values().forEach(form -> rowlock.call(work -> form.create(work, new Badge(1, "first"))));
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate badge, later, gone");
  }

  @ParameterizedTest
  @EnumSource
  void two_inserts_of_one_row_that_have_both_found_no_key_make_one_row(IsolationLevel level)
      throws Exception {
    for (Map.Entry<String, Form> form : FORMS.entrySet()) {
      db.execute("truncate badge");
      Rival gate = db.rival();
      gate.execute("select pg_advisory_xact_lock(" + GAP + ")");
      List<Future<Boolean>> calls =
          List.of(inTheGap(level, form.getValue()), inTheGap(level, form.getValue()));
      Await.until(
          "both inserts are in the gap",
          () ->
              db.number(
                      "select count(*) from pg_stat_activity where ? = any (pg_blocking_pids(pid))",
                      gate.pid())
                  == 2);

      gate.commit();

      assertThat(calls.stream().map(Together::get))
          .as(form.getKey())
          .containsExactlyInAnyOrder(true, false);
      assertThat(db.column("select slug from badge")).as(form.getKey()).containsExactly("s");
    }
  }

  private static Future<Boolean> inTheGap(IsolationLevel level, Form form) {
    return Together.start(
        () -> rowlock.isolation(level).call(work -> form.create(work, new Badge(7, "s"))));
  }

  @Test
  void a_row_that_is_there_or_new_costs_no_more_statements_than_with_one_constraint() {
    FORMS.forEach(
        (name, form) -> {
          int one = name.endsWith("All") ? 2 : 1;
          int locking = name.equals("upsertAll") ? 3 : one;
          assertThat(statements(form, new Badge(name.hashCode(), name)))
              .as("new: " + name)
              .hasSizeBetween(1, locking);
          assertThat(statements(form, new Badge(name.hashCode(), name)))
              .as("there: " + name)
              .hasSizeBetween(1, locking);
        });
  }

  private static List<String> statements(Form form, Badge candidate) {
    return rowlock.call(
        work -> {
          unit.log().clear();
          form.create(work, candidate);
          return unit.log().statements().stream().filter(s -> s.contains("with ")).toList();
        });
  }

  @Test
  void beside_a_constraint_that_may_be_checked_later_the_key_arbitrates_alone() throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(rowlock.getOrCreate(new Later(1, "s"), GetOrCreate.by("slug")).created())
          .isEqualTo(i == 0);
    }
    assertThat(db.column("select slug from later")).containsExactly("s");
  }

  @Test
  void nothing_is_inserted_once_the_index_of_the_key_is_gone() throws Exception {
    rowlock.getOrCreate(new Gone(1, "s"), GetOrCreate.by("slug"));
    db.execute("alter table gone drop constraint gone_key");

    assertThatThrownBy(() -> rowlock.getOrCreate(new Gone(2, "t"), GetOrCreate.by("slug")))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("has been removed or replaced since it was checked");
    assertThatThrownBy(
            () ->
                rowlock.call(
                    work -> work.getOrCreateAll(List.of(new Gone(2, "t")), GetOrCreate.by("slug"))))
        .isInstanceOf(UnsupportedMappingException.class);
    assertThat(db.column("select slug from gone")).containsExactly("s");
    db.execute("alter table gone add constraint gone_key unique (slug)");
    assertThat(rowlock.getOrCreate(new Gone(2, "t"), GetOrCreate.by("slug")).created()).isTrue();
  }

  @Entity(name = "badge")
  static class Badge {
    @Id long id;
    String slug;
    String email;
    String tag;
    @Version int version;

    protected Badge() {}

    Badge(long id, String slug) {
      this.id = id;
      this.slug = slug;
      this.email = slug + "@example.org";
      this.tag = slug;
    }
  }

  @Entity(name = "later")
  static class Later {
    @Id long id;
    String slug;
    String email;
    @Version int version;

    protected Later() {}

    Later(long id, String slug) {
      this.id = id;
      this.slug = slug;
      this.email = slug + "@example.org";
    }
  }

  @Entity(name = "gone")
  static class Gone {
    @Id long id;
    String slug;
    @Version int version;

    protected Gone() {}

    Gone(long id, String slug) {
      this.id = id;
      this.slug = slug;
    }
  }
}
