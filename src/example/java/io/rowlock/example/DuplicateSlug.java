package io.rowlock.example;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A slug that more than one article has.
 *
 * @param slug the slug
 * @param ids the ids of the articles, smallest first
 */
public record DuplicateSlug(String slug, List<Long> ids) {

  /** Copies the ids. */
  public DuplicateSlug {
    ids = List.copyOf(ids);
  }

  /** Groups rows of slug and id by slug, in the order in which they come. */
  static List<DuplicateSlug> group(List<Object[]> rows) {
    Map<String, List<Long>> bySlug = new LinkedHashMap<>();
    for (Object[] row : rows) {
      bySlug.computeIfAbsent((String) row[0], slug -> new ArrayList<>()).add((Long) row[1]);
    }
    return bySlug.entrySet().stream()
        .map(entry -> new DuplicateSlug(entry.getKey(), entry.getValue()))
        .toList();
  }
}
