package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise A7, the pool's part: one that keeps dead connections is pointed out at start-up. */
class PoolCheckIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  @Test
  void a_pool_that_keeps_dead_connections_is_pointed_out_once() {
    TestUnit unit = db.unit(Tag.class).unvalidated().open();

    assertThat(said(unit))
        .singleElement()
        .satisfies(
            warning ->
                assertThat(warning)
                    .contains("keeps dead connections")
                    .contains("exceptionSorter")
                    .contains("validateOnBorrow"));
    assertThat(said(unit)).isEmpty();
  }

  @Test
  void it_is_found_behind_a_data_source_that_wraps_it() {
    assertThat(said(db.unit(Tag.class).unvalidated().recording().open())).hasSize(1);
  }

  @Test
  void a_pool_that_drops_what_has_failed_or_looks_before_is_not() {
    assertThat(said(db.unit(Tag.class).unvalidated().sorted().open())).isEmpty();
    assertThat(said(db.unit(Tag.class).open())).isEmpty();
    assertThat(said(db.unit(Tag.class).jta().recording().open())).isEmpty();
  }

  @Test
  void a_pool_that_looks_before_loses_no_unit_to_a_backend_that_was_terminated() throws Exception {
    assertThat(failuresAfterTermination(db.unit(Tag.class).poolSize(1).open())).isZero();
  }

  @Test
  void a_pool_that_drops_what_has_failed_loses_one() throws Exception {
    assertThat(
            failuresAfterTermination(db.unit(Tag.class).poolSize(1).unvalidated().sorted().open()))
        .isEqualTo(1);
  }

  private static int failuresAfterTermination(TestUnit unit) throws Exception {
    Rowlock rowlock = Rowlock.of(unit.factory());
    Conflicts.kill(db, rowlock.call(work -> Conflicts.pid(work.entityManager())));
    int failures = 0;
    for (int i = 0; i < 3; i++) {
      try {
        rowlock.run(work -> Conflicts.pid(work.entityManager()));
      } catch (RuntimeException e) {
        assertThat(FailureClassifier.classify(e).kind()).isEqualTo(FailureKind.CONNECTION_LOST);
        failures++;
      }
    }
    return failures;
  }

  private static List<String> said(TestUnit unit) {
    List<String> said = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord logged) {
            said.add(logged.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("io.rowlock.internal.hibernate.PoolCheck");
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    try {
      Rowlock.of(unit.factory());
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    return said;
  }
}
