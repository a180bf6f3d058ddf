package io.rowlock.internal.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.IsolationLevel;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TransactionPreambleTest {

  @Test
  void the_isolation_level_comes_first_because_nothing_may_come_before_it() {
    assertThat(TransactionPreamble.text(IsolationLevel.SERIALIZABLE, Duration.ofSeconds(1), "on"))
        .startsWith(
            "set transaction isolation level SERIALIZABLE; set local default_transaction_read_only = on;"
                + " select set_config(");
  }

  @Test
  void without_a_deadline_no_timeout_is_touched() {
    assertThat(TransactionPreamble.text(IsolationLevel.READ_COMMITTED, null, null))
        .isEqualTo("set transaction isolation level READ COMMITTED");
  }

  @Test
  void what_is_left_is_rounded_up_and_never_zero_which_would_stand_for_no_bound() {
    assertThat(TransactionPreamble.text(null, Duration.ZERO, null)).contains("[1, ");
    assertThat(TransactionPreamble.text(null, Duration.ofNanos(1_000_001), null)).contains("[2, ");
    assertThat(TransactionPreamble.text(null, Duration.ofMillis(250), null)).contains("[250, ");
  }

  @Test
  void a_statement_may_take_longer_than_a_wait_for_a_lock_so_that_such_a_wait_is_told_as_one() {
    assertThat(TransactionPreamble.text(null, Duration.ofMillis(250), null)).contains("[250, 450]");
  }

  @Test
  void with_nothing_to_say_nothing_is_said() {
    assertThat(TransactionPreamble.text(null, null, null)).isEmpty();
  }
}
