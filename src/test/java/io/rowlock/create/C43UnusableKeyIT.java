package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.hibernate.CreateOnce;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What cannot arbitrate is refused at the first use, with the remedy, and nothing is changed. */
class C43UnusableKeyIT {

  @RegisterExtension static final Postgres db = new Postgres();

  static TestUnit unit;
  private final CreateOnce create = new CreateOnce();

  @BeforeAll
  static void open() {
    unit = db.unit(Thing.class).open();
  }

  @AfterEach
  void drop() throws Exception {
    db.execute("drop view if exists thing_view", "drop table if exists thing cascade");
  }

  @Test
  void no_unique_index() throws Exception {
    table("");
    assertRefused(
        "no unique index on exactly these columns",
        "alter table thing add constraint thing_slug_key unique (slug)");
    assertTheRemedyWorks("alter table thing add constraint thing_slug_key unique (slug)");
  }

  @Test
  void an_index_on_more_columns() throws Exception {
    table(", unique (slug, region)");
    assertRefused("no unique index on exactly these columns", "unique (slug)");
  }

  @Test
  void an_index_that_is_not_unique() throws Exception {
    table("");
    db.execute("create index thing_slug on thing (slug)");
    assertRefused("index thing_slug is not unique", "add constraint");
  }

  @Test
  void a_deferrable_constraint() throws Exception {
    table(", constraint thing_slug_key unique (slug) deferrable");
    assertRefused(
        "constraint thing_slug_key is deferrable",
        "alter table thing drop constraint thing_slug_key, add constraint thing_slug_key unique"
            + " (slug)");
    assertTheRemedyWorks(
        "alter table thing drop constraint thing_slug_key, add constraint thing_slug_key unique"
            + " (slug)");
  }

  @Test
  void a_deferrable_constraint_beside_an_immediate_one() throws Exception {
    table(", constraint late unique (slug) deferrable initially deferred, unique (slug)");
    assertRefused("constraint late is deferrable", "drop constraint late");
  }

  @Test
  void a_partial_index() throws Exception {
    table("");
    db.execute("create unique index thing_slug on thing (slug) where region is null");
    assertRefused("index thing_slug is partial (where (region IS NULL))", "add constraint");
  }

  @Test
  void an_index_on_an_expression() throws Exception {
    table("");
    db.execute("create unique index thing_lower on thing (lower(slug))");
    assertRefused("index thing_lower is on the expression lower(slug)", "citext");
  }

  @Test
  void an_index_that_is_invalid_after_a_failed_build() throws Exception {
    table("");
    db.execute("insert into thing values (1, 'same', null, 0), (2, 'same', null, 0)");
    assertThat(
            catchThrowable(
                () -> db.execute("create unique index concurrently thing_slug on thing (slug)")))
        .isInstanceOf(SQLException.class);
    assertRefused("index thing_slug is INVALID", "drop index thing_slug");
  }

  @Test
  void an_index_with_another_idea_of_equality_than_its_column() throws Exception {
    db.execute(
        "create collation if not exists nocase"
            + " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "create table thing (id bigint primary key, slug text collate nocase not null,"
            + " region text, n int)",
        "create unique index thing_slug on thing (slug collate \"C\")");
    assertRefused("index thing_slug compares with another collation", "same collation");
  }

  @Test
  void indexes_of_single_partitions() throws Exception {
    db.execute(
        "create table thing (id bigint, slug text not null, region text not null, n int)"
            + " partition by list (region)",
        "create table thing_a partition of thing for values in ('a')",
        "create table thing_b partition of thing for values in ('b')",
        "alter table thing_a add unique (slug)",
        "alter table thing_b add unique (slug)");
    assertRefused("it is partitioned by LIST (region)", "Add the partition key to the natural key");
  }

  @Test
  void a_partitioned_table_works_once_the_key_contains_the_partition_key() throws Exception {
    db.execute(
        "create table thing (id bigint, slug text not null, region text not null, n int,"
            + " unique (slug, region)) partition by list (region)",
        "create table thing_a partition of thing for values in ('a')",
        "create table thing_b partition of thing for values in ('b')");
    GetOrCreate key = GetOrCreate.by("slug", "region");
    assertThat(getOrCreate(new Thing(1, "s", "a"), key).created()).isTrue();
    assertThat(getOrCreate(new Thing(2, "s", "a"), key).entity().id).isEqualTo(1);
    assertThat(getOrCreate(new Thing(3, "s", "b"), key).created()).isTrue();
  }

  @Test
  void a_table_that_others_inherit_from() throws Exception {
    table(", unique (slug)");
    db.execute("create table special_thing () inherits (thing)");
    assertRefused("other tables inherit from it", "partitions");
  }

  @Test
  void a_view() throws Exception {
    db.execute(
        "create table stored (id bigint primary key, slug text unique, region text, n int)",
        "create view thing as select * from stored");
    try {
      assertRefused("it is a view", "Map the table itself");
    } finally {
      db.execute("drop view thing", "drop table stored");
    }
  }

  @Test
  void a_missing_table_and_a_missing_column() throws Exception {
    assertRefused("there is no such table", "search path");
    db.execute("create table thing (id bigint primary key, region text, n int)");
    assertRefused("it has no column slug", "mapping");
  }

  @Test
  void an_index_that_vanishes_after_the_check_is_reported_and_looked_for_again() throws Exception {
    table(", constraint thing_slug_key unique (slug)");
    getOrCreate(new Thing(1, "s", null), BY_SLUG);
    db.execute("alter table thing drop constraint thing_slug_key");

    assertThatThrownBy(() -> getOrCreate(new Thing(2, "t", null), BY_SLUG))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("removed or replaced")
        .hasRootCauseInstanceOf(SQLException.class);
    assertRefused("no unique index", "add constraint");

    db.execute("alter table thing add unique (slug)");
    assertThat(getOrCreate(new Thing(2, "t", null), BY_SLUG).created()).isTrue();
  }

  @Test
  void nulls_are_the_same_where_the_index_says_so() throws Exception {
    if (db.number("select current_setting('server_version_num')::int") < 150_000) {
      table(", unique (slug, region)");
      assertThatThrownBy(
              () -> getOrCreate(new Thing(1, "x", null), GetOrCreate.by("slug", "region")))
          .isInstanceOf(IllegalArgumentException.class);
      return;
    }
    table(", unique nulls not distinct (slug, region)");
    GetOrCreate key = GetOrCreate.by("slug", "region");
    assertThat(getOrCreate(new Thing(1, "x", null), key).created()).isTrue();
    assertThat(getOrCreate(new Thing(2, "x", null), key).entity().id).isEqualTo(1);
    assertThat(getOrCreate(new Thing(3, "x", "a"), key).created()).isTrue();
    assertThat(db.number("select count(*) from thing")).isEqualTo(2);
  }

  private static final GetOrCreate BY_SLUG = GetOrCreate.by("slug");

  private static void table(String constraints) throws SQLException {
    db.execute(
        "create table thing (id bigint primary key, slug text not null, region text, n int"
            + constraints
            + ")");
  }

  private void assertRefused(String why, String remedy) throws SQLException {
    unit.factory()
        .runInTransaction(
            em ->
                assertThatThrownBy(
                        () ->
                            create.getOrCreate(
                                em, new Thing(7, "x", null), BY_SLUG, (type, round) -> {}))
                    .isInstanceOf(UnsupportedMappingException.class)
                    .hasMessageContaining("thing")
                    .hasMessageContaining("(slug)")
                    .hasMessageContaining(why)
                    .hasMessageContaining(remedy));
  }

  private void assertTheRemedyWorks(String sql) throws SQLException {
    db.execute(sql);
    assertThat(getOrCreate(new Thing(1, "s", null), BY_SLUG).created()).isTrue();
    assertThat(getOrCreate(new Thing(2, "s", null), BY_SLUG).created()).isFalse();
  }

  private GetOrCreateResult<Thing> getOrCreate(Thing thing, GetOrCreate how) {
    return unit.factory()
        .callInTransaction(em -> create.getOrCreate(em, thing, how, (type, round) -> {}));
  }

  @Entity(name = "thing")
  static class Thing {
    @Id long id;
    String slug;
    String region;
    int n;

    Thing() {}

    Thing(long id, String slug, String region) {
      this.id = id;
      this.slug = slug;
      this.region = region;
    }
  }
}
