package io.rowlock.faults;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Promise A9: whatever happens in the application, the pool stays clean and the rows true. */
@ExtendWith(FaultSuite.class)
@Timeout(value = 1, unit = TimeUnit.DAYS) // each round has an end of its own
class A9ApplicationFaultsIT {

  @Test
  void the_pool_may_be_exhausted() throws Exception {
    FaultSuite.run(new ExhaustedPool());
  }

  @Test
  void a_thread_may_be_interrupted_at_any_moment() throws Exception {
    FaultSuite.run(new Interrupt());
  }

  @Test
  void a_unit_may_run_out_of_memory() throws Exception {
    FaultSuite.run(VirtualMachineFailure.OUT_OF_MEMORY);
  }

  @Test
  void a_unit_may_overflow_its_stack() throws Exception {
    FaultSuite.run(VirtualMachineFailure.STACK_OVERFLOW);
  }

  @Test
  void the_stack_may_overflow_within_a_statement() throws Exception {
    FaultSuite.run(new DeepStackOverflow());
  }
}
