package io.rowlock.faults;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Promises A3 and A4: what is run again, and until when, changes nothing but once. */
@ExtendWith(FaultSuite.class)
@Timeout(value = 1, unit = TimeUnit.DAYS) // each round has an end of its own
class A3ConflictFaultsIT {

  @Test
  void outside_writers_may_deadlock_with_units() throws Exception {
    FaultSuite.run(new OutsideDeadlock());
  }

  @Test
  void units_may_fail_to_be_serialized_again_and_again() throws Exception {
    FaultSuite.run(new SerializationStorm());
  }

  @Test
  void a_lock_may_not_be_had_in_time() throws Exception {
    FaultSuite.run(HeldRows.LOCK_TIMEOUT);
  }

  @Test
  void a_lock_may_not_be_had_at_once() throws Exception {
    FaultSuite.run(HeldRows.NO_WAIT);
  }

  @Test
  void the_deadline_may_pass() throws Exception {
    FaultSuite.run(HeldRows.DEADLINE);
  }

  @Test
  void a_statement_may_time_out() throws Exception {
    FaultSuite.run(new StatementTimeout());
  }
}
