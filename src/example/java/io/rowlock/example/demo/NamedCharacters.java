package io.rowlock.example.demo;

import java.lang.Character.UnicodeBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A real list of titles: the names that Unicode gives to characters, as this JDK has them. Names
 * that are made from the code point (ideographs, Hangul syllables, private use) are left out. A few
 * names make the same slug, such as TIBETAN LETTER A and TIBETAN LETTER -A.
 */
final class NamedCharacters {

  private static final Pattern BETWEEN_WORDS = Pattern.compile("[^a-z0-9]+");

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
      String name = Character.isDefined(point) ? Character.getName(point) : null;
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
    return BETWEEN_WORDS.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("-");
  }
}
