package io.rowlock.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Starts the PostgreSQL that comes as a Maven artifact; it ends with the JVM. */
final class EmbeddedServer {

  private EmbeddedServer() {}

  static TestServer start() {
    try {
      EmbeddedPostgres server =
          EmbeddedPostgres.builder()
              .setServerConfig("max_connections", "200")
              // deadlocks are found sooner than after the default second
              .setServerConfig("deadlock_timeout", "200ms")
              .start();
      // the server's own URL names a user, who would win over the role of a connection
      return new TestServer(
          "jdbc:postgresql://localhost:" + server.getPort() + "/postgres", "postgres", "postgres");
    } catch (IOException e) {
      throw new UncheckedIOException("The embedded PostgreSQL does not start", e);
    }
  }
}
