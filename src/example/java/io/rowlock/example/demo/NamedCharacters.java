package io.rowlock.example.demo;

import java.lang.Character.UnicodeBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A real list of titles: the names that Unicode gives to characters, as this JDK has them. Names
 * that are made from the code point (ideographs, Hangul syllables, private use) are left out. A few
 * characters share a name, and a few names make the same slug.
 */
final class NamedCharacters {

  private NamedCharacters() {}

  /**
   * One entry of the list.
   *
   * @param slug the name in lower case, words joined by hyphens
   * @param title the name
   */
  record Entry(String slug, String title) {}

  static List<Entry> list() {
    List<Entry> entries = new ArrayList<>();
    for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
      String name = Character.getName(point);
      if (name != null && !isGenerated(point, name)) {
        entries.add(new Entry(slug(name), name));
      }
    }
    return List.copyOf(entries);
  }

  private static boolean isGenerated(int point, String name) {
    UnicodeBlock block = UnicodeBlock.of(point);
    return block != null
        && name.equals(
            block.toString().replace('_', ' ')
                + " "
                + Integer.toHexString(point).toUpperCase(Locale.ROOT));
  }

  private static String slug(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
  }
}
