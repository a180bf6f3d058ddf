package io.rowlock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documents show is what the tests run, and what they link to is there. */
class ReadmeTest {

  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]+\\]\\(([^)#:]+)(?:#[^)]*)?\\)");

  @Test
  void every_java_snippet_stands_in_a_test_that_runs() throws IOException {
    String tests =
        withoutSpace(Files.readString(Path.of("src/test/java/io/rowlock/docs/SnippetsIT.java")));
    int snippets = 0;
    for (Path document : documents()) {
      Matcher found = JAVA.matcher(Files.readString(document));
      while (found.find()) {
        snippets++;
        assertThat(tests)
            .describedAs("%s shows code that no test runs:%n%s", document, found.group(1))
            .contains(withoutSpace(found.group(1)));
      }
    }
    assertThat(snippets).isPositive();
  }

  @Test
  void every_relative_link_leads_to_a_file() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path document : documents()) {
      Matcher found = LINK.matcher(Files.readString(document));
      while (found.find()) {
        Path folder = document.getParent() == null ? Path.of("") : document.getParent();
        if (!Files.exists(folder.resolve(found.group(1)).normalize())) {
          broken.add(document + " -> " + found.group(1));
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.walk(Path.of("src/docs"))) {
      return Stream.concat(
              Stream.of(Path.of("README.md"), Path.of(".github/CONTRIBUTING.md")),
              docs.filter(path -> path.toString().endsWith(".md")))
          .toList();
    }
  }

  private static String withoutSpace(String text) {
    return text.replaceAll("\\s+", "");
  }
}
