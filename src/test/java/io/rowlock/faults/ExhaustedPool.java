package io.rowlock.faults;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Somebody else has all connections of the pool, until some units have waited in vain. */
final class ExhaustedPool implements Fault {

  private static final int CONNECTIONS = 3;

  @Override
  public String told() {
    return "exhausted pool";
  }

  @Override
  public Setup setup(OwnServer server) {
    return Setup.of(server).withPool(CONNECTIONS, Duration.ofMillis(100));
  }

  @Override
  public void strike(Site site) throws Exception {
    List<Connection> taken = new ArrayList<>();
    try {
      while (taken.size() < CONNECTIONS && !site.pulse().isOver()) {
        take(site, taken);
      }
      if (taken.size() == CONNECTIONS) {
        site.injected();
        site.letBeFelt(1 + site.random().nextInt(3));
      }
    } finally {
      for (Connection connection : taken) {
        connection.close();
      }
    }
  }

  private void take(Site site, List<Connection> taken) throws SQLException {
    try {
      taken.add(site.application().pool().getConnection());
    } catch (SQLException e) {
      if (!isFelt(e)) {
        throw e;
      }
    }
  }

  @Override
  public boolean isFelt(Throwable failure) {
    return Symptom.chain(failure).stream()
        .anyMatch(
            link ->
                link instanceof SQLException && link.getMessage().contains("acquisition timeout"));
  }
}
