package io.rowlock.internal.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.internal.postgres.TransactionFate.State;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Promise A7: what a server says of a transaction's id is believed only where it proves something.
 */
class TransactionFateIT {

  /** Another server than the one that is asked, and one that was started long ago. */
  private static final String OTHER_SERVER = "1";

  /** So long ago that the server may have crashed since. */
  private static final String LONG_AGO = "2";

  @RegisterExtension static final Postgres db = new Postgres("create table t (id int)");

  Rival writer;
  TransactionMark mark;

  @BeforeEach
  void a_transaction_that_has_written() throws Exception {
    writer = db.rival();
    writer.execute("insert into t values (1)");
    mark = TransactionMark.read(writer.connection());
  }

  @Test
  void a_transaction_is_in_progress_until_it_is_decided() throws Exception {
    assertThat(fateOf(mark).state()).isEqualTo(State.UNDECIDED);
    writer.commit();
    assertThat(fateOf(mark).state()).isEqualTo(State.COMMITTED);
  }

  @Test
  void a_transaction_that_was_rolled_back_is_told_as_that() throws Exception {
    writer.rollback();
    assertThat(fateOf(mark).state()).isEqualTo(State.ROLLED_BACK);
  }

  @Test
  void a_transaction_that_wrote_nothing_has_no_id() throws Exception {
    assertThat(TransactionMark.read(db.rival().connection()).id()).isNull();
  }

  @Test
  void a_lock_on_a_row_is_enough_for_an_id() throws Exception {
    writer.commit();
    Rival locker = db.rival();
    locker.execute("select from t for key share");
    assertThat(TransactionMark.read(locker.connection()).id()).isNotNull();
  }

  @Test
  void a_server_that_was_running_before_and_is_another_one_proves_nothing() throws Exception {
    writer.commit();
    TransactionFate fate = fateOf(new TransactionMark(mark.id(), OTHER_SERVER, mark.began()));
    assertThat(fate.state()).isEqualTo(State.UNKNOWN);
    assertThat(fate.reason()).contains("another history");
  }

  @Test
  void after_what_may_be_a_crash_committed_may_be_said_of_another_transaction() throws Exception {
    writer.commit();
    TransactionFate fate = fateOf(new TransactionMark(mark.id(), mark.server(), LONG_AGO));
    assertThat(fate.state()).isEqualTo(State.UNKNOWN);
    assertThat(fate.reason()).contains("crashed");
  }

  @Test
  void after_what_may_be_a_crash_aborted_still_says_that_it_is_lost() throws Exception {
    writer.rollback();
    assertThat(fateOf(restarted(mark.id())).state()).isEqualTo(State.ROLLED_BACK);
  }

  @Test
  void after_what_may_be_a_crash_an_id_in_use_is_waited_for() throws Exception {
    assertThat(fateOf(restarted(mark.id())).state()).isEqualTo(State.UNDECIDED);
  }

  @Test
  void an_id_that_was_never_given_was_lost_in_a_crash_or_is_of_another_history() throws Exception {
    String unused = String.valueOf(Long.parseLong(mark.id()) + 1_000_000);
    assertThat(fateOf(restarted(unused)).state()).isEqualTo(State.ROLLED_BACK);
    assertThat(fateOf(new TransactionMark(unused, mark.server(), mark.began())).state())
        .isEqualTo(State.UNKNOWN);
  }

  private TransactionMark restarted(String id) {
    return new TransactionMark(id, OTHER_SERVER, LONG_AGO);
  }

  private static TransactionFate fateOf(TransactionMark mark) throws SQLException {
    try (Connection connection = db.connect()) {
      return TransactionFate.of(connection, mark);
    }
  }
}
