package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.IsolationLevel;
import io.rowlock.RetriesExhaustedException;
import io.rowlock.Rowlock;
import io.rowlock.testing.Postgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Promise A5: a unit that gives up says why, after how many attempts and how long, with every
 * failure.
 */
class A5ExhaustionIT {

  @RegisterExtension
  static final Postgres db = new Postgres(Tag.TABLE, "insert into tag values (1, 'a')");

  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Tag.class).open().factory());
  }

  @Test
  void all_failures_the_number_of_attempts_and_the_time_are_told() throws Exception {
    List<Throwable> failures = new ArrayList<>();

    RetriesExhaustedException exhausted =
        catchThrowableOfType(
            RetriesExhaustedException.class,
            () ->
                rowlock
                    .named("raise n")
                    .isolation(IsolationLevel.REPEATABLE_READ)
                    .maxAttempts(3)
                    .run(
                        work -> {
                          Tag tag = work.entityManager().find(Tag.class, 1L);
                          db.execute("update tag set n = n + 100");
                          tag.n++;
                          try {
                            work.entityManager().flush();
                          } catch (RuntimeException e) {
                            failures.add(e);
                            throw e;
                          }
                        }));

    assertThat(failures).hasSize(3);
    assertThat(exhausted.getCause()).isSameAs(failures.get(2));
    assertThat(exhausted.getSuppressed()).containsExactly(failures.get(0), failures.get(1));
    assertThat(exhausted.attempts()).isEqualTo(3);
    assertThat(exhausted.unit()).isEqualTo("raise n");
    assertThat(exhausted.elapsed()).isBetween(Duration.ofNanos(1), Duration.ofSeconds(30));
    assertThat(exhausted)
        .hasMessageContaining("'raise n' failed in 3 attempts, ")
        .hasMessageContaining(exhausted.elapsed().toMillis() + " ms after it began")
        .hasMessageContaining("its policy allows 3 attempts")
        .hasMessageContaining("could not serialize access due to concurrent update");
    assertThat(db.number("select n from tag")).as("nothing of the unit's").isEqualTo(300);
  }
}
