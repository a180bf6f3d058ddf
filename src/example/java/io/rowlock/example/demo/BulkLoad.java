package io.rowlock.example.demo;

import io.rowlock.Rowlock;
import io.rowlock.create.InsertResult;
import io.rowlock.example.Article;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** Eight workers load the same real list at once, each in an order of its own. */
final class BulkLoad implements Part {

  /** How many inserts make one unit of work. */
  private static final int UNIT = 250;

  private static final int WORKERS = 8;

  private final DemoSchema schema;
  private final List<NamedCharacters.Entry> list = NamedCharacters.list();

  BulkLoad(DemoSchema schema) {
    this.schema = schema;
  }

  @Override
  public String title() {
    return String.format(
        Locale.ROOT,
        "Eight workers load the same list at once: %,d names of Unicode characters",
        list.size());
  }

  @Override
  public String run() throws Exception {
    Console.line(
        "  in eight different orders, %d inserts in a unit of work, each only if its slug is not there yet",
        UNIT);
    try (Application application = schema.openApplication()) {
      long calls = (long) list.size() * WORKERS;
      List<Integer> inserted;
      String speed;
      try (Progress progress = new Progress(calls, "inserts if absent")) {
        inserted = Workers.run(WORKERS, worker -> load(application, worker, progress));
        speed = progress.summary();
      }
      Console.line("  %s, %d reruns", speed, application.reruns().reruns());
      int articles = check(inserted, stored(application.rowlock()));
      return String.format(Locale.ROOT, "%,d articles, one for each slug; %s", articles, speed);
    }
  }

  /** What one worker did: how many articles it inserted. */
  private int load(Application application, int worker, Progress progress) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      order.add(i);
    }
    Collections.shuffle(order, new Random(worker));
    int inserted = 0;
    for (int from = 0; from < order.size(); from += UNIT) {
      List<Article> part =
          order.subList(from, Math.min(from + UNIT, order.size())).stream()
              .map(list::get)
              .map(entry -> new Article(entry.slug(), entry.title()))
              .toList();
      for (InsertResult<Article> result : application.store().insertIfAbsentAll(part)) {
        inserted += result.inserted() ? 1 : 0;
      }
      progress.add(part.size());
    }
    return inserted;
  }

  /** Compares what was told and what is stored with the list; answers the number of articles. */
  private int check(List<Integer> inserted, Map<String, String> stored) {
    Map<String, Set<String>> titles = new HashMap<>();
    list.forEach(e -> titles.computeIfAbsent(e.slug(), slug -> new HashSet<>()).add(e.title()));
    DemoFailure.unlessEqual(
        "Articles reported as inserted",
        titles.size(),
        inserted.stream().mapToInt(Integer::intValue).sum());
    titles.forEach(
        (slug, possible) -> {
          DemoFailure.unless(stored.containsKey(slug), "The article %s was lost", slug);
          DemoFailure.unless(
              possible.contains(stored.get(slug)),
              "The article %s has the title %s",
              slug,
              stored.get(slug));
        });
    return titles.size();
  }

  /** The stored titles by their slugs; a slug that is there twice breaks it off. */
  private static Map<String, String> stored(Rowlock rowlock) {
    return rowlock
        .named("read all")
        .call(
            unit ->
                unit.entityManager()
                    .createQuery("select a from Article a", Article.class)
                    .getResultStream()
                    .collect(Collectors.toMap(Article::getSlug, Article::getTitle)));
  }
}
