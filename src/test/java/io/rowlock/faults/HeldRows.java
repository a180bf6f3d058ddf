package io.rowlock.faults;

import io.rowlock.RetriesExhaustedException;
import io.rowlock.lock.Locking;
import java.time.Duration;

/**
 * Rows that an outside writer holds until some units have given up: because of the wait that the
 * lock allows, or because the deadline lowers the timeouts of every statement.
 */
enum HeldRows implements Fault {
  /** 55P03, run again twice. */
  LOCK_TIMEOUT("lock timeout") {
    @Override
    public Setup setup(OwnServer server) {
      Setup usual = Setup.of(server);
      return usual
          .withPolicy(usual.policy().withMaxAttempts(3))
          .withLocking(Locking.defaults().waitAtMost(Duration.ofMillis(10)));
    }
  },
  /** 55P03 at once. */
  NO_WAIT("lock without waiting") {
    @Override
    public Setup setup(OwnServer server) {
      Setup usual = Setup.of(server);
      return usual
          .withPolicy(usual.policy().withMaxAttempts(3))
          .withLocking(Locking.defaults().noWait());
    }
  },
  /** Whichever timeout comes first. */
  DEADLINE("deadline of the unit") {
    @Override
    public Setup setup(OwnServer server) {
      Setup usual = Setup.of(server);
      return usual.withPolicy(usual.policy().withDeadline(Duration.ofMillis(200)));
    }
  };

  private final String told;

  HeldRows(String told) {
    this.told = told;
  }

  @Override
  public String told() {
    return told;
  }

  @Override
  public int gap() {
    return 40;
  }

  @Override
  public void strike(Site site) throws Exception {
    try (Outsider outsider = new Outsider(site.server())) {
      outsider.lock("account", "id % 3 = " + site.random().nextInt(3), true);
      site.injected();
      site.letBeFelt(1 + site.random().nextInt(4));
    }
  }

  @Override
  public boolean isFelt(Throwable failure) {
    return Symptom.hasState(failure, "55P03", "57014");
  }

  @Override
  public boolean mayEndACall(Throwable failure) {
    // three attempts, or 200 ms, may also be too few for the conflicts of the units themselves
    return isFelt(failure)
        || (failure instanceof RetriesExhaustedException && Symptom.isConflict(failure));
  }
}
