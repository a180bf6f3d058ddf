package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.testing.Postgres;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B1: a row that is younger than the unit's snapshot makes the unit run again, and is found. */
class B1OlderSnapshotIT {

  @RegisterExtension static final Postgres db = new Postgres(Page.TABLE);

  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Page.class).open().factory());
  }

  @Test
  void every_operation_finds_it_in_the_second_attempt_at_repeatable_read() throws Exception {
    runsTwice(IsolationLevel.REPEATABLE_READ);
  }

  /** Of two that insert without having looked, one would get 23505 from plain statements. */
  @Test
  void every_operation_finds_it_in_the_second_attempt_at_serializable() throws Exception {
    runsTwice(IsolationLevel.SERIALIZABLE);
  }

  private static void runsTwice(IsolationLevel level) throws Exception {
    for (var operation : Operations.all().entrySet()) {
      for (boolean looksFirst : new boolean[] {false, true}) {
        db.execute("truncate page");
        AtomicInteger attempts = new AtomicInteger();

        List<?> answers =
            rowlock
                .isolation(level)
                .call(
                    work -> {
                      if (attempts.incrementAndGet() == 1) {
                        String sql = looksFirst ? "select count(*) from page" : "select 1";
                        work.entityManager().createNativeQuery(sql).getSingleResult();
                        db.execute(
                            "insert into page (slug, title, version) values ('b', 'rival', 0)");
                      }
                      return operation
                          .getValue()
                          .on(work, List.of(new Page("a", "mine"), new Page("b", "mine")));
                    });

        String name = operation.getKey() + (looksFirst ? " after a look" : "");
        assertThat(attempts).as(name).hasValue(2);
        assertThat(answers.stream().map(Operations::created)).as(name).containsExactly(true, false);
        assertThat(db.column("select slug || ' ' || title from page order by slug"))
            .as(name)
            .containsExactly("a mine", name.startsWith("upsert") ? "b mine" : "b rival");
      }
    }
  }
}
