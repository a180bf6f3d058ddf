package io.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is asked of the library's source files and cannot be read off its classes. */
class SourceShapeTest {

  private static final Path MAIN = Path.of("src", "main", "java");
  private static final int LONGEST = 400;

  @Test
  void noFileIsLongerThan400Lines() throws IOException {
    List<Path> files = mainFiles();
    assertThat(files).isNotEmpty();
    assertThat(files)
        .filteredOn(file -> lines(file) > LONGEST)
        .as("files of more than %d lines", LONGEST)
        .isEmpty();
  }

  private static List<Path> mainFiles() throws IOException {
    try (Stream<Path> paths = Files.walk(MAIN)) {
      return paths.filter(path -> path.toString().endsWith(".java")).toList();
    }
  }

  private static long lines(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
