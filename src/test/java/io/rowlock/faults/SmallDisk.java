package io.rowlock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A file system of a few megabytes, in memory, for a tablespace. */
final class SmallDisk implements AutoCloseable {

  private final Path point;
  private boolean mounted = true;

  private SmallDisk(Path point) {
    this.point = point;
  }

  /** Mounts it, where the user may and the operating system can. */
  static Optional<SmallDisk> mount(Path folder, int megabytes) {
    try {
      Path point = Files.createDirectory(folder.resolve("small"));
      int status =
          Commands.status(
              List.of(
                  "mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", "" + point));
      if (status != 0) {
        Files.delete(point);
        return Optional.empty();
      }
      SmallDisk disk = new SmallDisk(point);
      Runtime.getRuntime().addShutdownHook(new Thread(disk::unmount));
      return Optional.of(disk);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An empty folder on it, which only its owner may look into, as the server wants it. */
  Path folder() {
    return point.resolve("tablespace");
  }

  @Override
  public synchronized void close() {
    unmount();
    try {
      Files.deleteIfExists(point);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Once; though a process may still have a file of it open. */
  private synchronized void unmount() {
    if (mounted) {
      mounted = false;
      Commands.run(List.of("umount", "-l", point.toString()));
    }
  }
}
