package io.rowlock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The table of operations in the README, row by row. */
final class ReadmeTable {

  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /**
   * A row, with "as above" replaced by what stands above.
   *
   * @param operation the operation's cell without the quotes of code
   */
  record Row(String operation, String sql, String competitor, String failure) {

    /** What is claimed of a competitor, one phrase each. */
    List<String> competitorClaims() {
      return List.of(competitor.split("; "));
    }
  }

  private ReadmeTable() {}

  static List<Row> rows() throws IOException {
    List<String> lines = Files.readAllLines(Path.of("README.md"));
    int line =
        lines.indexOf(
            "| operation | SQL sent | what a competitor sees | what you get when it fails |");
    List<Row> rows = new ArrayList<>();
    List<String> above = List.of();
    for (line += 2; lines.get(line).startsWith("|"); line++) {
      List<String> cells = new ArrayList<>();
      for (String cell : lines.get(line).split("\\|")) {
        cells.add(cell.strip());
      }
      for (int i = 2; i < cells.size(); i++) {
        if (cells.get(i).equals("as above")) {
          cells.set(i, above.get(i));
        }
      }
      rows.add(new Row(cells.get(1).replace("`", ""), cells.get(2), cells.get(3), cells.get(4)));
      above = cells;
    }
    return rows;
  }

  /** What a cell shows as code. */
  static List<String> code(String cell) {
    return CODE.matcher(cell).results().map((MatchResult found) -> found.group(1)).toList();
  }
}
