package io.rowlock.faults;

import io.rowlock.testing.TcpProxy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Promise A7: wherever a connection is lost, committed is there exactly once, failed is not there,
 * and unknown is one or the other.
 */
@ExtendWith(FaultSuite.class)
@Timeout(value = 1, unit = TimeUnit.DAYS) // each round has an end of its own
class A7NetworkFaultsIT {

  @Test
  void a_connection_may_be_cut_before_the_server_has_the_commit() throws Exception {
    FaultSuite.run(new CutAtCommit("cut before COMMIT", TcpProxy.Fault.CUT_BEFORE));
  }

  @Test
  void the_client_may_be_lost_while_the_transaction_stays_open() throws Exception {
    FaultSuite.run(new CutAtCommit("cut before COMMIT, unnoticed", TcpProxy.Fault.LOSE_BEFORE));
  }

  @Test
  void a_connection_may_be_cut_while_the_server_commits() throws Exception {
    FaultSuite.run(new CutAtCommit("cut during COMMIT", TcpProxy.Fault.CUT_DELIVERED));
  }

  @Test
  void a_connection_may_be_cut_after_the_server_has_committed() throws Exception {
    FaultSuite.run(new CutAtCommit("cut after COMMIT", TcpProxy.Fault.CUT_ANSWERED));
  }

  @Test
  void the_outcome_may_be_asked_for_by_an_id_that_was_given_at_the_start() throws Exception {
    FaultSuite.run(
        new CutAtCommit(
            "cut after COMMIT, id assigned",
            TcpProxy.Fault.CUT_ANSWERED,
            setup -> setup.withTracking("assign")));
  }

  @Test
  void the_outcome_may_be_looked_for_by_the_application() throws Exception {
    FaultSuite.run(
        new CutAtCommit(
            "cut after COMMIT, own check", TcpProxy.Fault.CUT_ANSWERED, Setup::withOwnCheck));
  }

  @Test
  void the_outcome_may_stay_unknown() throws Exception {
    FaultSuite.run(
        new CutAtCommit(
            "cut during COMMIT, not tracked",
            TcpProxy.Fault.CUT_DELIVERED,
            setup -> setup.withTracking("none")));
  }

  @Test
  void a_connection_may_be_cut_in_the_middle_of_a_result() throws Exception {
    FaultSuite.run(new CutInResult());
  }

  @Test
  void all_connections_may_be_cut_at_any_moment() throws Exception {
    FaultSuite.run(new CutAll());
  }

  @Test
  void new_connections_may_be_refused_for_a_while() throws Exception {
    FaultSuite.run(new Refused());
  }

  @Test
  void a_connection_may_stall() throws Exception {
    FaultSuite.run(new Stall());
  }
}
