package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.CommitOutcomeUnknownException;
import io.rowlock.Rowlock;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Part of promise A7: a connection lost at COMMIT is neither success nor failure, and nothing is
 * run again.
 */
class UnknownCommitIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  final AtomicInteger attempts = new AtomicInteger();
  final AtomicInteger pid = new AtomicInteger();

  @BeforeEach
  void one_row() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a')");
  }

  @Test
  void a_backend_killed_right_before_commit_is_an_unknown_outcome_and_not_run_again()
      throws Exception {
    assertUnknown(db.unit(Tag.class).open());
    assertThat(db.number("select n from tag")).isZero();
  }

  @Test
  void the_same_holds_in_a_transaction_of_jta() throws Exception {
    assertUnknown(db.unit(Tag.class).jta().open());
    assertThat(db.number("select n from tag")).isZero();
  }

  private void assertUnknown(TestUnit unit) {
    Rowlock rowlock =
        Rowlock.builder(unit.factory())
            .listener(
                new RowlockListener() {
                  @Override
                  public void beforeCommit(UnitInfo info) {
                    killed();
                  }
                })
            .build();

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      pid.set(Conflicts.pid(work.entityManager()));
                      work.entityManager().find(Tag.class, 1L).n++;
                      work.entityManager().flush();
                    }))
        .isInstanceOf(CommitOutcomeUnknownException.class)
        .hasMessageContaining("'unit' on attempt 1 of 50")
        .hasMessageContaining("not known whether it was committed")
        .hasCauseInstanceOf(Exception.class);
    assertThat(attempts).hasValue(1);
  }

  private void killed() {
    try {
      Conflicts.kill(db, pid.get());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
