package io.rowlock.faults;

import io.rowlock.IsolationLevel;
import io.rowlock.UnitInterruptedException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * {@code Thread.interrupt()} to a thread in a call: it may wait for a connection, for the server,
 * or between two attempts. The flag must be there afterwards, whatever became of the call.
 */
final class Interrupt implements Fault {

  @Override
  public String told() {
    return "interrupted thread";
  }

  /** Few connections, and conflicts: so that threads wait. */
  @Override
  public Setup setup(OwnServer server) {
    return Setup.of(server)
        .withPool(3, Duration.ofSeconds(10))
        .withLevels(IsolationLevel.READ_COMMITTED, IsolationLevel.SERIALIZABLE);
  }

  @Override
  public int gap() {
    return 20;
  }

  @Override
  public void strike(Site site) {
    List<Worker> workers = site.workers();
    if (workers.get(site.random().nextInt(workers.size())).interrupt()) {
      site.injected();
    }
  }

  @Override
  public boolean isFelt(Throwable failure) {
    return failure instanceof UnitInterruptedException
        || Symptom.chain(failure).stream()
            .anyMatch(
                link -> link instanceof SQLException && link.getMessage().contains("Interrupted"));
  }
}
