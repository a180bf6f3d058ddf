package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.Rowlock;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.testing.Postgres;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B1: where nothing can be written, a call fails once and says so. */
class B1ReadOnlyIT {

  @RegisterExtension static final Postgres db = new Postgres(Page.TABLE);

  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Page.class).open().factory());
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute(
        "truncate page", "insert into page (slug, title, version) values ('there', 'there', 0)");
  }

  @Test
  void a_read_only_transaction_fails_once_for_new_rows_and_for_those_that_are_there() {
    for (var operation : Operations.all().entrySet()) {
      for (String slug : List.of("there", "new")) {
        AtomicInteger attempts = new AtomicInteger();
        Throwable failure =
            catchThrowable(
                () ->
                    rowlock.run(
                        work -> {
                          attempts.incrementAndGet();
                          work.entityManager()
                              .createNativeQuery("set transaction read only")
                              .executeUpdate();
                          operation.getValue().on(work, List.of(new Page(slug, "x")));
                        }));
        assertThat(FailureClassifier.classify(failure).sqlState())
            .as("%s of '%s'", operation.getKey(), slug)
            .isEqualTo("25006");
        assertThat(attempts).hasValue(1);
      }
    }
  }

  @Test
  void a_row_that_is_there_is_answered_by_a_standby_where_it_need_not_be_pinned() {
    Rowlock standby =
        Rowlock.of(
            db.unit(Page.class)
                .urlParameter("options", "-c%20default_transaction_read_only=on")
                .open()
                .factory());
    assertThat(standby.getOrCreate(new Page("there", "x")).entity().title).isEqualTo("there");
    Throwable failure = catchThrowable(() -> standby.getOrCreate(new Page("new", "x")));
    assertThat(FailureClassifier.classify(failure).sqlState()).isEqualTo("25006");
  }
}
