package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hibernate.annotations.NaturalId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B6: a batch over the partitions of a table, whose rows lie at the same places of each. */
class B6PartitionsIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table visit (id bigint not null, region text not null, slug text not null,"
              + " title text, primary key (region, id), unique (region, slug)) partition by list (region)",
          "create table visit_north partition of visit for values in ('north')",
          "create table visit_south partition of visit for values in ('south')");

  static TestUnit unit;
  static Rowlock rowlock;

  @Entity(name = "visit")
  static class Visit {
    @Id Long id;
    @NaturalId String region;
    @NaturalId String slug;
    String title;

    Visit() {}

    Visit(long id, String region, String title) {
      this.id = id;
      this.region = region;
      this.slug = "s" + id % 10;
      this.title = title;
    }
  }

  @BeforeAll
  static void open() {
    unit = db.unit(Visit.class).open();
    rowlock = Rowlock.of(unit.factory());
  }

  @AfterAll
  static void close() {
    unit.close();
  }

  @BeforeEach
  void fill() throws Exception {
    db.execute("truncate visit");
    rowlock.run(work -> work.insertIfAbsentAll(everywhere("old")));
    assertThat(
            db.number(
                "select count(*) from visit_north n join visit_south s"
                    + " on s.ctid = n.ctid and s.slug = n.slug"))
        .as("rows with one key but for the region, at the same place of both partitions")
        .isEqualTo(10);
  }

  @Test
  void an_upsert_changes_the_rows_of_the_partition_that_is_meant() throws Exception {
    List<UpsertResult<Visit>> answers =
        rowlock.call(work -> work.upsertAll(in("north", "new").limit(5).toList()));

    assertThat(answers).extracting(UpsertResult::outcome).containsOnly(Outcome.UPDATED);
    assertThat(answers).extracting(answer -> answer.entity().title).containsOnly("new");
    assertThat(
            db.column("select region || count(*) from visit where title = 'new' group by region"))
        .containsExactly("north5");
  }

  @Test
  void both_partitions_are_read_locked_and_changed_by_one_batch() throws Exception {
    List<GetOrCreateResult<Visit>> found =
        rowlock.call(work -> work.getOrCreateAll(everywhere("new")));
    assertThat(found).noneMatch(GetOrCreateResult::created);
    assertThat(found).extracting(answer -> answer.entity().title).containsOnly("old");

    List<UpsertResult<Visit>> answers = rowlock.call(work -> work.upsertAll(everywhere("new")));
    assertThat(answers).extracting(UpsertResult::outcome).containsOnly(Outcome.UPDATED);
    assertThat(db.number("select count(*) from visit where title = 'new'")).isEqualTo(20);
  }

  private static List<Visit> everywhere(String title) {
    return Stream.concat(in("north", title), in("south", title)).toList();
  }

  private static Stream<Visit> in(String region, String title) {
    int first = region.equals("north") ? 10 : 20;
    return IntStream.range(first, first + 10).mapToObj(id -> new Visit(id, region, title));
  }
}
