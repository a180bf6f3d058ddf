package io.rowlock.faults;

import java.io.IOException;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** Starts the server before the first class of the suite; reports and stops it after the last. */
final class FaultSuite implements BeforeAllCallback {

  private static volatile Running running;

  @Override
  public void beforeAll(ExtensionContext context) {
    running =
        context
            .getRoot()
            .getStore(Namespace.create(FaultSuite.class))
            .computeIfAbsent(Running.class, key -> new Running(), Running.class);
  }

  static OwnServer server() {
    return running.server;
  }

  static Report report() {
    return running.report;
  }

  /** Runs the rounds of a fault. */
  static void run(Fault fault) throws Exception {
    new Campaign(fault, running.server).run(running.report);
  }

  private static final class Running implements AutoCloseable {

    private final OwnServer server = OwnServer.start();
    private final Report report = new Report();

    Running() {
      try {
        Tables.create(server);
      } catch (java.sql.SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() throws IOException {
      try {
        report.publish();
      } finally {
        server.close();
      }
    }
  }
}
