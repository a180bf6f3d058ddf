package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.UnitOptions;
import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * B1 in units of work, over two factories, at each isolation level: units that lose are run again.
 */
class B1AtEveryIsolationIT {

  private static final int THREADS = 32;
  private static final int SLUGS = 500;
  private static final int AT_A_TIME = 100;

  @RegisterExtension static final Postgres db = new Postgres(Page.TABLE);

  static List<Rowlock> processes;

  @BeforeAll
  static void open() {
    TestUnit first = db.unit(Page.class).open();
    TestUnit second = db.unit(Page.class).open();
    processes = List.of(Rowlock.of(first.factory()), Rowlock.of(second.factory()));
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate page");
  }

  @ParameterizedTest
  @EnumSource
  void eight_calls_at_once_answer_one_row_that_one_of_them_made(IsolationLevel level)
      throws Exception {
    for (int round = 0; round < 10; round++) {
      String slug = "new-" + round;
      List<GetOrCreateResult<Page>> answers =
          Together.run(
              8, n -> at(level, n).call(unit -> unit.getOrCreate(new Page(slug, "of " + n))));

      assertThat(answers).filteredOn(GetOrCreateResult::created).hasSize(1);
      assertThat(answers)
          .extracting(answer -> answer.entity().id)
          .containsOnly(db.number("select id from page where slug = ?", slug));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void thirty_two_threads_over_five_hundred_slugs(IsolationLevel level) throws Exception {
    AtomicInteger created = new AtomicInteger();
    for (int first = 0; first < SLUGS; first += AT_A_TIME) {
      int begin = first;
      List<Map<String, Long>> seen =
          Together.run(
              THREADS,
              n -> {
                Map<String, Long> ids = new HashMap<>();
                for (String slug : shuffled(begin, n)) {
                  GetOrCreateResult<Page> answer =
                      at(level, n).call(unit -> unit.getOrCreate(new Page(slug, "of " + n)));
                  ids.put(slug, answer.entity().id);
                  if (answer.created()) {
                    created.incrementAndGet();
                  }
                }
                return ids;
              });
      assertThat(seen.get(0)).hasSize(AT_A_TIME);
      assertThat(seen).allMatch(ids -> ids.equals(seen.get(0)));
    }

    assertThat(db.number("select count(*) from page")).isEqualTo(SLUGS);
    assertThat(created).hasValue(SLUGS);
  }

  @ParameterizedTest
  @EnumSource
  void upserts_at_once_are_all_counted_by_the_version(IsolationLevel level) throws Exception {
    List<Outcome> outcomes =
        Together.run(
            8, n -> at(level, n).call(unit -> unit.upsert(new Page("up", "of " + n)).outcome()));

    assertThat(Collections.frequency(outcomes, Outcome.CREATED)).isEqualTo(1);
    assertThat(Collections.frequency(outcomes, Outcome.UPDATED)).isEqualTo(7);
    assertThat(db.number("select version from page")).isEqualTo(7);
  }

  private static List<String> shuffled(int first, int seed) {
    List<String> slugs = new ArrayList<>();
    for (int i = first; i < first + AT_A_TIME; i++) {
      slugs.add("slug-" + i);
    }
    Collections.shuffle(slugs, new Random(seed));
    return slugs;
  }

  private static UnitOptions at(IsolationLevel level, int thread) {
    return processes
        .get(thread % 2)
        .isolation(level)
        .maxAttempts(100)
        .deadline(Duration.ofSeconds(100));
  }
}
