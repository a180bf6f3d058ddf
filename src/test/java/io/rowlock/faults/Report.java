package io.rowlock.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The table at the end of a run. */
final class Report {

  private static final Path FILE = Path.of("target", "faults-report.md");
  private static final String LINE =
      "| %-40s | %8s | %6s | %6s | %6s | %6s | %12s | %7s | %8s | %5s |%n";

  private final List<Result> results = new ArrayList<>();
  private final List<String> notPossible = new ArrayList<>();

  synchronized void add(Result result) {
    results.add(result);
  }

  /** What this machine does not let be done. */
  synchronized void notPossible(String fault, String why) {
    notPossible.add(fault + ": not possible here (" + why + ")");
  }

  /** Prints the table, and writes it to a file. */
  synchronized void publish() {
    StringBuilder text = new StringBuilder();
    text.append("Faults, ").append(Seed.told()).append(System.lineSeparator());
    text.append(System.lineSeparator());
    text.append(
        String.format(
            LINE,
            "fault",
            "injected",
            "felt",
            "units",
            "reruns",
            "failed",
            "COMMITs lost",
            "unknown",
            "(stored)",
            "wrong"));
    text.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|").append(System.lineSeparator());
    results.forEach(
        row ->
            text.append(
                String.format(
                    LINE,
                    row.fault(),
                    row.injected(),
                    row.felt(),
                    row.units(),
                    row.reruns(),
                    row.failed(),
                    row.unanswered(),
                    row.unknown(),
                    row.unknownButCommitted(),
                    row.wrong().size())));
    notPossible.forEach(
        line -> text.append(System.lineSeparator()).append(line).append(System.lineSeparator()));
    System.out.println(text);
    try {
      Files.createDirectories(FILE.getParent());
      Files.writeString(FILE, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
