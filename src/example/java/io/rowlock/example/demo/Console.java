package io.rowlock.example.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Plain lines on standard output, for a terminal or a file. */
final class Console {

  private Console() {}

  static void line(String format, Object... arguments) {
    System.out.println(String.format(Locale.ROOT, format, arguments));
  }

  static void heading(String text) {
    line("%n%s%n%s", text, "-".repeat(text.length()));
  }

  /** Prints rows of the same length under their headings. */
  static void table(List<String> headings, List<List<Object>> rows) {
    List<List<Object>> all = new ArrayList<>();
    all.add(new ArrayList<>(headings));
    all.addAll(rows);
    int[] widths = new int[headings.size()];
    for (List<Object> row : all) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], String.valueOf(row.get(i)).length());
      }
    }
    for (List<Object> row : all) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String cell = String.valueOf(row.get(i));
        line.append("  ").append(cell).append(" ".repeat(widths[i] - cell.length()));
      }
      line("%s", line.toString().stripTrailing());
    }
  }
}
