package io.rowlock.testing;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.PullResponseItem;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.dockerclient.DockerClientProviderStrategy;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * Starts PostgreSQL in a container. Testcontainers waits for minutes for an image that cannot be
 * had, so the image is looked for, and the registry asked, before Testcontainers is.
 */
final class DockerServer {

  /** How long a registry may take until it begins to send the image. */
  private static final Duration FIRST_SIGN = Duration.ofSeconds(10);

  /** How long an image that has begun to come may take. */
  private static final Duration WHOLE_IMAGE = Duration.ofMinutes(5);

  private final String image;
  private String reason = "";

  DockerServer() {
    String configured = System.getProperty("rowlock.postgres.image");
    image =
        configured == null || configured.isBlank() || configured.startsWith("${")
            ? "postgres:18"
            : configured;
  }

  String image() {
    return image;
  }

  /** Why there is no server. */
  String reason() {
    return reason;
  }

  Optional<TestServer> start() {
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      return none("no Docker engine answers");
    }
    DockerClient client =
        DockerClientProviderStrategy.getClientForConfig(
            DockerClientFactory.instance().getTransportConfig());
    if (!has(client) && !pulled(client)) {
      return none("the Docker engine cannot get the image " + image);
    }
    PostgreSQLContainer container =
        new PostgreSQLContainer(DockerImageName.parse(image).asCompatibleSubstituteFor("postgres"))
            .withUsername("postgres")
            .withPassword("postgres")
            .withDatabaseName("postgres")
            .withCommand(
                "postgres",
                "-c",
                "fsync=off",
                "-c",
                "max_connections=200",
                "-c",
                "deadlock_timeout=200ms");
    try {
      container.start();
    } catch (RuntimeException e) {
      return none("the container of " + image + " does not start (" + e.getMessage() + ")");
    }
    Runtime.getRuntime().addShutdownHook(new Thread(container::stop));
    return Optional.of(
        new TestServer(
            "jdbc:postgresql://"
                + container.getHost()
                + ":"
                + container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT)
                + "/postgres",
            "postgres",
            "postgres"));
  }

  private boolean has(DockerClient client) {
    try {
      client.inspectImageCmd(image).exec();
      return true;
    } catch (NotFoundException e) {
      return false;
    }
  }

  private boolean pulled(DockerClient client) {
    AtomicReference<PullResponseItem> firstSign = new AtomicReference<>();
    ResultCallback.Adapter<PullResponseItem> pull =
        new ResultCallback.Adapter<>() {
          @Override
          public void onNext(PullResponseItem item) {
            if (item.getProgressDetail() != null) {
              firstSign.compareAndSet(null, item);
            }
          }
        };
    try (pull) {
      client.pullImageCmd(image).exec(pull);
      boolean done = pull.awaitCompletion(FIRST_SIGN.toMillis(), TimeUnit.MILLISECONDS);
      if (!done && firstSign.get() != null) {
        pull.awaitCompletion(WHOLE_IMAGE.toMillis(), TimeUnit.MILLISECONDS);
      }
      return has(client);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (Exception e) {
      return false;
    }
  }

  private Optional<TestServer> none(String why) {
    reason = why;
    return Optional.empty();
  }
}
