package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B1: one row per key, whoever comes when. */
class B1OneRowPerKeyIT {

  @RegisterExtension static final Postgres db = new Postgres(Page.TABLE);

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit = db.unit(Page.class).open();
    create = new Creating(unit);
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate page");
  }

  @Test
  void eight_calls_at_once_make_one_row_and_one_of_them_made_it() throws Exception {
    List<GetOrCreateResult<Page>> results =
        Together.run(8, n -> create.getOrCreate(new Page("new", "of " + n)));

    assertThat(results).extracting(result -> result.entity().id).containsOnly(onlyId("new"));
    assertThat(results).filteredOn(GetOrCreateResult::created).hasSize(1);
  }

  @Test
  void sixteen_threads_that_want_the_same_keys_in_different_orders_get_the_same_rows()
      throws Exception {
    List<String> slugs = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      slugs.add("slug-" + i);
    }
    List<Set<String>> seen =
        Together.run(
            16,
            n -> {
              List<String> mine = new ArrayList<>(slugs);
              Collections.shuffle(mine, new Random(n));
              Set<String> rows = new HashSet<>();
              for (String slug : mine) {
                Page page = create.getOrCreate(new Page(slug, "of " + n)).entity();
                rows.add(page.id + page.slug + page.title);
              }
              return rows;
            });

    assertThat(db.number("select count(*) from page")).isEqualTo(200);
    assertThat(seen).allMatch(rows -> rows.equals(seen.get(0)));
    assertThat(create.lostRaces()).isPositive();
  }

  @Test
  void a_row_committed_after_the_statement_began_is_found_in_the_next_round() throws Exception {
    Rival rival = db.rival();
    rival.execute("insert into page (slug, title, version) values ('race', 'rival', 0)");
    int before = create.lostRaces();
    Future<GetOrCreateResult<Page>> waiting =
        Together.start(() -> create.getOrCreate(new Page("race", "mine")));
    db.awaitBlockedBy(rival.pid());
    rival.commit();

    GetOrCreateResult<Page> result = Together.get(waiting);
    assertThat(result.created()).isFalse();
    assertThat(result.entity().title).isEqualTo("rival");
    assertThat(create.lostRaces()).isEqualTo(before + 1);
  }

  @Test
  void a_row_that_its_maker_rolls_back_is_created_in_the_same_statement() throws Exception {
    Rival rival = db.rival();
    rival.execute("insert into page (slug, title, version) values ('race', 'rival', 0)");
    int before = create.lostRaces();
    Future<GetOrCreateResult<Page>> waiting =
        Together.start(() -> create.getOrCreate(new Page("race", "mine")));
    db.awaitBlockedBy(rival.pid());
    rival.rollback();

    assertThat(Together.get(waiting).created()).isTrue();
    assertThat(create.lostRaces()).isEqualTo(before);
  }

  @Test
  void a_row_whose_delete_is_undecided_is_waited_for_and_made_anew() throws Exception {
    db.execute("insert into page (slug, title, version) values ('gone', 'old', 0)");
    Rival rival = db.rival();
    rival.execute("delete from page where slug = 'gone'");
    Future<GetOrCreateResult<Page>> waiting =
        Together.start(() -> create.getOrCreate(new Page("gone", "new")));
    db.awaitBlockedBy(rival.pid());
    rival.commit();

    assertThat(Together.get(waiting).created()).isTrue();
    assertThat(db.column("select title from page")).containsExactly("new");
  }

  @Test
  void a_row_whose_key_is_changed_meanwhile_is_not_taken_for_the_one_wanted() throws Exception {
    db.execute("insert into page (slug, title, version) values ('moved', 'old', 0)");
    Rival rival = db.rival();
    rival.execute("update page set slug = 'elsewhere' where slug = 'moved'");
    Future<GetOrCreateResult<Page>> waiting =
        Together.start(() -> create.getOrCreate(new Page("moved", "new")));
    db.awaitBlockedBy(rival.pid());
    rival.commit();

    GetOrCreateResult<Page> result = Together.get(waiting);
    assertThat(result.created()).isTrue();
    assertThat(db.column("select slug || title from page order by 1"))
        .containsExactly("elsewhereold", "movednew");
  }

  @Test
  void eight_upserts_at_once_of_a_new_key_make_one_row_and_change_it_seven_times()
      throws Exception {
    List<UpsertResult<Page>> results =
        Together.run(8, n -> create.upsert(new Page("up", "of " + n)));

    assertThat(results).filteredOn(r -> r.outcome() == Outcome.CREATED).hasSize(1);
    assertThat(results).filteredOn(r -> r.outcome() == Outcome.UPDATED).hasSize(7);
    assertThat(db.column("select version from page")).containsExactly(7);
  }

  @Test
  void of_eight_inserts_at_once_one_is_inserted_and_seven_are_skipped() throws Exception {
    List<InsertResult<Page>> results =
        Together.run(8, n -> create.insertIfAbsent(new Page("in", "of " + n)));

    assertThat(results).filteredOn(InsertResult::inserted).hasSize(1);
    assertThat(db.number("select count(*) from page")).isEqualTo(1);
  }

  @Test
  void a_snapshot_older_than_the_row_is_a_serialization_failure_never_a_missing_row()
      throws Exception {
    for (String level : List.of("repeatable read", "serializable")) {
      for (boolean upsert : new boolean[] {false, true}) {
        db.execute("truncate page");
        Throwable failure =
            catchThrowable(
                () ->
                    unit.factory()
                        .runInTransaction(
                            em -> {
                              em.createNativeQuery("set transaction isolation level " + level)
                                  .executeUpdate();
                              em.createNativeQuery("select count(*) from page").getSingleResult();
                              insertElsewhere();
                              if (upsert) {
                                create.upsert(em, new Page("rr", "mine"));
                              } else {
                                create.getOrCreate(em, new Page("rr", "mine"));
                              }
                            }));

        assertThat(FailureClassifier.classify(failure).sqlState()).isEqualTo("40001");
        assertThat(db.column("select title from page")).containsExactly("rival");
      }
    }
  }

  private static void insertElsewhere() {
    try {
      db.execute("insert into page (slug, title, version) values ('rr', 'rival', 0)");
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static Long onlyId(String slug) throws SQLException {
    return db.number("select id from page where slug = ?", slug);
  }
}
