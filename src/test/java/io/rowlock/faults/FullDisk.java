package io.rowlock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.sql.SQLException;

/** The disk of the journal's tablespace is filled up by somebody else, and emptied again. */
final class FullDisk implements Fault {

  private final OwnServer server;
  private final SmallDisk disk;

  FullDisk(OwnServer server, SmallDisk disk) {
    this.server = server;
    this.disk = disk;
  }

  @Override
  public String told() {
    return "full disk";
  }

  @Override
  public Setup setup(OwnServer given) {
    try {
      Files.createDirectory(disk.folder());
      server.execute(
          "create tablespace small location '" + disk.folder() + "'",
          "alter table entry set tablespace small");
      return Setup.of(server);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void strike(Site site) throws Exception {
    // dropping it later takes no room, truncating it does
    server.execute(
        "create table ballast (filling text) tablespace small",
        "alter table ballast alter filling set storage plain");
    fill();
    site.injected();
    site.letBeFelt(1 + site.random().nextInt(4));
    server.execute("drop table ballast");
  }

  /** Fills whole pages, until there is no room for one more. */
  private void fill() throws SQLException {
    while (true) {
      try {
        server.execute("insert into ballast select repeat('x', 7900) from generate_series(1, 50)");
      } catch (SQLException e) {
        if (!Symptom.hasState(e, "53100")) {
          throw e;
        }
        break;
      }
    }
  }

  @Override
  public boolean isFelt(Throwable failure) {
    return Symptom.hasState(failure, "53100");
  }

  @Override
  public void heal(Site site) throws SQLException {
    server.execute("drop table if exists ballast");
  }

  @Override
  public void close() throws SQLException {
    server.execute(
        "drop table if exists ballast",
        "truncate entry",
        "alter table entry set tablespace pg_default",
        "drop tablespace if exists small");
    disk.close();
  }
}
