package io.rowlock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs commands of the operating system. */
final class Commands {

  private static final long LIMIT_SECONDS = 90;

  private Commands() {}

  /** Runs a command that must succeed. */
  static void run(List<String> command) {
    int status = status(command);
    if (status != 0) {
      throw new IllegalStateException("Exit status " + status + " of " + command);
    }
  }

  /** Runs a command; its exit status, or -1 if there is no such command. */
  static int status(List<String> command) {
    Process process;
    try {
      // a server that it starts would keep a pipe open
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      return -1;
    }
    try {
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new UncheckedIOException(new IOException("No end of " + command));
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted during " + command, e);
    }
  }
}
