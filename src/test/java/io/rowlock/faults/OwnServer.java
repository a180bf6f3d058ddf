package io.rowlock.faults;

import io.rowlock.testing.Await;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A PostgreSQL of the suite's own, which keeps what it has committed when it is killed: {@code
 * fsync} and {@code synchronous_commit} are on.
 */
final class OwnServer implements AutoCloseable {

  private final EmbeddedPostgres installed;
  private final Path folder;
  private final Path data;
  private final String pgCtl;

  private OwnServer(EmbeddedPostgres installed, Path folder, Path data) throws SQLException {
    this.installed = installed;
    this.folder = folder;
    this.data = data;
    this.pgCtl = column("select setting from pg_config where name = 'BINDIR'").get(0) + "/pg_ctl";
  }

  static OwnServer start() {
    try {
      Path folder = Files.createTempDirectory("rowlock-faults");
      Path data = folder.resolve("data");
      EmbeddedPostgres installed =
          EmbeddedPostgres.builder()
              .setDataDirectory(data)
              .setServerConfig("fsync", "on")
              .setServerConfig("synchronous_commit", "on")
              .setServerConfig("full_page_writes", "on")
              .setServerConfig("max_connections", "100")
              .setServerConfig("deadlock_timeout", "50ms")
              .setServerConfig("unix_socket_directories", folder.toString())
              .start();
      return new OwnServer(installed, folder, data);
    } catch (IOException e) {
      throw new UncheckedIOException("The suite's own PostgreSQL does not start", e);
    } catch (SQLException e) {
      throw new IllegalStateException("The suite's own PostgreSQL does not answer", e);
    }
  }

  int port() {
    return installed.getPort();
  }

  /** A folder that the server may write to. */
  Path folder() {
    return folder;
  }

  /** The server's URL, or that of a proxy in front of it. */
  static String url(int port) {
    return "jdbc:postgresql://localhost:" + port + "/postgres";
  }

  /** A connection that no fault is aimed at. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        url(port()) + "?ApplicationName=audit", "postgres", "postgres");
  }

  /** Runs statements in auto-commit mode on a connection of their own. */
  void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        var statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The first column of all rows, read on a connection of its own. */
  List<Object> column(String sql, Object... parameters) throws SQLException {
    return rows(sql, parameters).stream().map(row -> row.get(0)).toList();
  }

  /** All rows, read on a connection of its own. */
  List<List<Object>> rows(String sql, Object... parameters) throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      List<List<Object>> rows = new ArrayList<>();
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          List<Object> row = new ArrayList<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            row.add(result.getObject(i));
          }
          rows.add(row);
        }
      }
      return rows;
    }
  }

  /** Kills the server with SIGKILL, all of its processes at once; returns when they are gone. */
  void kill() {
    ProcessHandle postmaster = postmaster();
    List<ProcessHandle> children = postmaster.children().toList();
    postmaster.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    awaitGone(postmaster, children);
  }

  /** Kills the first process alone; the others leave by themselves, at the latest when idle. */
  void killPostmaster() {
    ProcessHandle postmaster = postmaster();
    List<ProcessHandle> children = postmaster.children().toList();
    postmaster.destroyForcibly();
    awaitGone(postmaster, children);
  }

  /** Stops in "fast" mode: every transaction is rolled back, every connection ended. */
  void stopFast() {
    ProcessHandle postmaster = postmaster();
    List<ProcessHandle> children = postmaster.children().toList();
    pgCtl("stop", "-m", "fast", "-w", "-t", "30");
    awaitGone(postmaster, children);
  }

  /** Starts again what was killed or stopped, as it was; returns when it answers. */
  void startAgain() {
    // all processes are gone, but somebody may still have to collect the first one: its number
    // would keep the server from starting
    delete(data.resolve("postmaster.pid"));
    delete(folder.resolve(".s.PGSQL." + port() + ".lock"));
    // it finds the options in postmaster.opts, and starts though there is nothing to stop
    pgCtl("restart", "-w", "-t", "60", "-l", folder.resolve("log").toString());
    Await.until("the server answers", this::answers);
  }

  private boolean answers() {
    try (Connection connection = connect()) {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  private ProcessHandle postmaster() {
    try {
      long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).trim());
      return ProcessHandle.of(pid).orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException("The server does not run", e);
    }
  }

  private static void awaitGone(ProcessHandle postmaster, List<ProcessHandle> children) {
    Await.until(
        "all processes of the server are gone",
        () -> isGone(postmaster) && children.stream().allMatch(OwnServer::isGone));
  }

  /** Ended; on Linux also if nobody has asked for its exit status yet, as in a bare container. */
  private static boolean isGone(ProcessHandle process) {
    if (!process.isAlive()) {
      return true;
    }
    try {
      return Files.readString(Path.of("/proc", "" + process.pid(), "stat")).contains(") Z ");
    } catch (IOException e) {
      return !process.isAlive();
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void pgCtl(String... arguments) {
    List<String> command = new ArrayList<>();
    if (isRoot()) {
      // PostgreSQL refuses to run as root: in a name space of its own it is nobody
      command.addAll(List.of("unshare", "-U"));
    }
    command.addAll(List.of(pgCtl, "-D", data.toString()));
    command.addAll(List.of(arguments));
    Commands.run(command);
  }

  static boolean isRoot() {
    return System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux")
        && System.getProperty("user.name").equals("root");
  }

  @Override
  public void close() throws IOException {
    installed.close();
    if (Files.exists(folder)) {
      List<Path> left;
      try (Stream<Path> files = Files.walk(folder)) {
        left = files.sorted(java.util.Comparator.reverseOrder()).toList();
      }
      for (Path file : left) {
        Files.deleteIfExists(file);
      }
    }
  }
}
