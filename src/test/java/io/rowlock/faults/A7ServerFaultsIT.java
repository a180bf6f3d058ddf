package io.rowlock.faults;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Promise A7, and A2 and A9 with it: whatever becomes of the server, committed is there exactly
 * once, failed is not there, and unknown is one or the other.
 */
@ExtendWith(FaultSuite.class)
@Timeout(value = 1, unit = TimeUnit.DAYS) // each round has an end of its own
class A7ServerFaultsIT {

  @Test
  void a_backend_may_be_terminated_at_any_moment() throws Exception {
    FaultSuite.run(Signal.terminate());
  }

  @Test
  void a_statement_may_be_canceled_at_any_moment() throws Exception {
    FaultSuite.run(Signal.cancel());
  }

  @Test
  void the_server_may_be_killed_with_all_its_processes() throws Exception {
    FaultSuite.run(ServerEnds.KILLED);
  }

  @Test
  void the_postmaster_alone_may_be_killed() throws Exception {
    FaultSuite.run(ServerEnds.ORPHANED);
  }

  @Test
  void the_server_may_be_stopped_in_fast_mode() throws Exception {
    FaultSuite.run(ServerEnds.STOPPED);
  }
}
