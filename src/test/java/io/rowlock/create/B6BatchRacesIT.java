package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.lock.LockStrength;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.Together;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B6: what a batch does about a row that somebody else is about to make, delete or re-key. */
class B6BatchRacesIT {

  @RegisterExtension static final Postgres db = new Postgres(Page.TABLE);

  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Page.class).open().factory());
    rowlock.run(work -> work.getOrCreate(new Page("first", "x")));
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate page");
  }

  @Test
  void a_row_whose_delete_is_undecided_is_waited_for_and_made_anew() throws Exception {
    for (var batch : Operations.batches().entrySet()) {
      if (batch.getKey().startsWith("insert")) {
        continue; // it looks without a lock, and so skips the row while that is undecided
      }
      rows("b");
      Rival rival = db.rival();
      rival.execute("delete from page where slug = 'b'");

      assertThat(waitingFor(rival, batch.getValue(), rival::commit))
          .as(batch.getKey())
          .containsExactly(true, true, true);
      assertThat(stored()).as(batch.getKey()).containsExactly("a mine", "b mine", "c mine");
    }
  }

  @Test
  void a_row_whose_delete_is_rolled_back_is_there() throws Exception {
    for (var batch : Operations.batches().entrySet()) {
      rows("b");
      Rival rival = db.rival();
      rival.execute("delete from page where slug = 'b'");
      String title = batch.getKey().startsWith("upsert") ? "b mine" : "b there";

      if (batch.getKey().startsWith("insert")) {
        // it looks without a lock, and so need not wait
        List<?> answers = rowlock.call(work -> batch.getValue().on(work, candidates()));
        assertThat(answers.stream().map(Operations::created)).containsExactly(true, false, true);
        rival.rollback();
      } else {
        assertThat(waitingFor(rival, batch.getValue(), rival::rollback))
            .as(batch.getKey())
            .containsExactly(true, false, true);
      }
      assertThat(stored()).as(batch.getKey()).containsExactly("a mine", title, "c mine");
    }
  }

  @Test
  void a_row_that_its_maker_rolls_back_is_created() throws Exception {
    for (var batch : Operations.batches().entrySet()) {
      rows();
      Rival rival = db.rival();
      rival.execute("insert into page (slug, title, version) values ('b', 'rival', 0)");

      assertThat(waitingFor(rival, batch.getValue(), rival::rollback))
          .as(batch.getKey())
          .containsExactly(true, true, true);
      assertThat(stored()).as(batch.getKey()).containsExactly("a mine", "b mine", "c mine");
    }
  }

  @Test
  void a_row_that_is_committed_meanwhile_is_found_and_not_overwritten_unless_asked_for()
      throws Exception {
    for (var batch : Operations.batches().entrySet()) {
      rows();
      Rival rival = db.rival();
      rival.execute("insert into page (slug, title, version) values ('b', 'rival', 0)");
      String title = batch.getKey().startsWith("upsert") ? "b mine" : "b rival";

      assertThat(waitingFor(rival, batch.getValue(), rival::commit))
          .as(batch.getKey())
          .containsExactly(true, false, true);
      assertThat(stored()).as(batch.getKey()).containsExactly("a mine", title, "c mine");
    }
  }

  @Test
  void a_row_whose_key_is_changed_meanwhile_is_not_taken_for_the_one_wanted() throws Exception {
    for (var batch : Operations.batches().entrySet()) {
      if (batch.getKey().startsWith("insert")) {
        continue; // it looks without a lock, and so skips the row while that is undecided
      }
      rows("b");
      Rival rival = db.rival();
      rival.execute("update page set slug = 'x' where slug = 'b'");

      assertThat(waitingFor(rival, batch.getValue(), rival::commit))
          .as(batch.getKey())
          .containsExactly(true, true, true);
      assertThat(stored())
          .as(batch.getKey())
          .containsExactly("a mine", "b mine", "c mine", "x there");
    }
  }

  /**
   * A batch that locked the row once for each of its candidates would queue for it a second time,
   * behind the other batch that waits for this one: PostgreSQL queues for a version of the row that
   * has been replaced for as long as somebody has a share of it.
   */
  @Test
  void a_key_that_is_given_twice_is_locked_once() throws Exception {
    for (Map.Entry<String, Operations.Operation> batch : LOCKING.entrySet()) {
      rows("b");
      long deadlocks = db.deadlocks();
      Rival sharer = db.rival();
      Rival writer = db.rival();
      sharer.one("select id from page where slug = 'b' for key share");
      writer.execute("update page set title = 'written' where slug = 'b'");

      List<Page> twice = List.of(new Page("b", "mine"), new Page("b", "mine"));
      Future<List<?>> first =
          Together.start(() -> rowlock.call(w -> batch.getValue().on(w, twice)));
      int firstBackend = db.awaitBlockedBy(writer.pid());
      Future<List<?>> second =
          Together.start(() -> rowlock.call(w -> batch.getValue().on(w, twice)));
      db.awaitBlockedBy(firstBackend);
      writer.commit();

      assertThat(Together.get(first)).as(batch.getKey()).hasSize(2);
      assertThat(Together.get(second)).as(batch.getKey()).hasSize(2);
      sharer.rollback();
      sharer.close();
      writer.close();
      assertThat(db.deadlocks()).as(batch.getKey()).isEqualTo(deadlocks);
    }
  }

  private static final Map<String, Operations.Operation> LOCKING =
      Map.of(
          "upsertAll",
          UnitOfWork::upsertAll,
          "getOrCreateAll",
          (work, pages) ->
              work.getOrCreateAll(
                  pages, GetOrCreate.defaults().pinned(LockStrength.NO_KEY_UPDATE)));

  @Test
  void batches_of_several_chunks_never_deadlock_and_lose_nothing() throws Exception {
    long deadlocks = db.deadlocks();
    Upsert counting = Upsert.defaults().replacing("title").adding("visits");
    Together.run(
        4,
        thread -> {
          Random random = new Random(thread);
          for (int round = 0; round < 3; round++) {
            List<Page> pages = pages(1500, random);
            rowlock.run(work -> work.upsertAll(pages, counting));
          }
          return null;
        });
    assertThat(db.number("select count(*) from page")).isEqualTo(1500);
    assertThat(db.column("select distinct visits from page")).containsExactly(12);
    assertThat(db.deadlocks()).isEqualTo(deadlocks);
  }

  /** Several calls in one unit are no longer in one order: their deadlocks are run again after. */
  @Test
  void several_batches_in_one_unit_all_commit_and_lose_nothing() throws Exception {
    Upsert counting = Upsert.defaults().replacing("title").adding("visits");
    Together.run(
        4,
        thread -> {
          Random random = new Random(thread);
          for (int round = 0; round < 6; round++) {
            List<Page> pages = pages(40, random);
            rowlock.run(
                work -> {
                  work.upsertAll(pages.subList(0, 20), counting);
                  work.upsertAll(pages.subList(20, 40), counting);
                });
          }
          return null;
        });
    assertThat(db.column("select distinct visits from page")).containsExactly(24);
    assertThat(db.number("select count(*) from page")).isEqualTo(40);
  }

  @Test
  void outcomes_are_the_same_with_rewritten_batches() throws Exception {
    Rowlock rewriting =
        Rowlock.of(
            db.unit(Page.class).urlParameter("reWriteBatchedInserts", "true").open().factory());
    for (var batch : Operations.batches().entrySet()) {
      rows("b");
      List<?> answers = rewriting.call(work -> batch.getValue().on(work, candidates()));
      assertThat(answers.stream().map(Operations::created))
          .as(batch.getKey())
          .containsExactly(true, false, true);
    }
  }

  private interface End {
    void now() throws Exception;
  }

  /** Whether c, b and a are new, for a batch that had to wait for the rival at b. */
  private static Stream<Boolean> waitingFor(Rival rival, Operations.Operation batch, End end)
      throws Exception {
    Future<List<?>> waiting =
        Together.start(() -> rowlock.call(work -> batch.on(work, candidates())));
    db.awaitBlockedBy(rival.pid());
    end.now();
    return Together.get(waiting).stream().map(Operations::created);
  }

  private static List<Page> candidates() {
    return List.of(new Page("c", "mine"), new Page("b", "mine"), new Page("a", "mine"));
  }

  private static List<Page> pages(int count, Random random) {
    List<Page> pages = new ArrayList<>();
    IntStream.range(0, count).forEach(i -> pages.add(new Page("p" + i, "x")));
    pages.forEach(page -> page.visits = 1);
    Collections.shuffle(pages, random);
    return pages;
  }

  private static void rows(String... slugs) throws Exception {
    db.execute("truncate page");
    for (String slug : slugs) {
      db.execute("insert into page (slug, title, version) values ('" + slug + "', 'there', 0)");
    }
  }

  private static List<Object> stored() throws Exception {
    return db.column("select slug || ' ' || title from page order by slug");
  }
}
