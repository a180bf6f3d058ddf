package io.rowlock.faults;

import io.rowlock.testing.Await;
import java.sql.SQLException;

/**
 * A writer that takes what units take in the opposite order: first an account, then, when a unit
 * waits for that one, the counters, of which that unit has changed one already.
 */
final class OutsideDeadlock implements Fault {

  @Override
  public String told() {
    return "deadlock with an outside writer";
  }

  @Override
  public int gap() {
    return 30;
  }

  @Override
  public void strike(Site site) throws Exception {
    try (Outsider outsider = new Outsider(site.server())) {
      // the unit, which waits for longer, is to be the one that looks
      outsider.execute("set deadlock_timeout = '1s'");
      outsider.lock("account", "id = " + site.random().nextInt(Calls.ACCOUNTS), true);
      Await.until("a unit waits", () -> outsider.isInTheWay() || site.pulse().isOver());
      if (!outsider.isInTheWay()) {
        return;
      }
      site.injected();
      try {
        outsider.lock("counter", "true", false);
      } catch (SQLException e) {
        if (!"40P01".equals(e.getSQLState())) {
          throw e;
        }
      }
    }
  }

  @Override
  public boolean isFelt(Throwable failure) {
    return Symptom.hasState(failure, "40P01");
  }
}
