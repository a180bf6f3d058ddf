package io.rowlock.example.demo;

import io.rowlock.Rowlock;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.example.Article;
import io.rowlock.example.ArticleStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
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

  /** How many articles one unit of work gets or creates. */
  private static final int UNIT = 50;

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
    Console.line("  in eight different orders, %d get-or-creates in a unit of work", UNIT);
    try (Application application = schema.openApplication()) {
      long calls = (long) list.size() * WORKERS;
      List<Loaded> loaded;
      String speed;
      try (Progress progress = new Progress(calls, "get-or-creates")) {
        loaded = Workers.run(WORKERS, worker -> load(application, worker, progress));
        speed = progress.summary();
      }
      Console.line("  %s, %d reruns", speed, application.reruns().reruns());
      int articles = check(loaded, stored(application.rowlock()));
      return String.format(Locale.ROOT, "%,d articles, one for each slug; %s", articles, speed);
    }
  }

  /**
   * What one worker was told.
   *
   * @param ids the article's id for each entry of the list
   * @param created how many articles it created
   */
  private record Loaded(List<Long> ids, int created) {}

  private Loaded load(Application application, int worker, Progress progress) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      order.add(i);
    }
    Collections.shuffle(order, new Random(worker));
    List<Long> ids = new ArrayList<>(Collections.nCopies(list.size(), 0L));
    int created = 0;
    for (int from = 0; from < order.size(); from += UNIT) {
      // Within a unit in one order, so that two units wait for each other instead of deadlocking.
      List<Integer> part =
          order.subList(from, Math.min(from + UNIT, order.size())).stream()
              .sorted(Comparator.comparing(i -> list.get(i).slug()))
              .toList();
      created +=
          application
              .rowlock()
              .named("load")
              .call(unit -> loadPart(application.store(), part, ids));
      progress.add(part.size());
    }
    return new Loaded(ids, created);
  }

  /** One unit of work: writes to the list only what it would write again. */
  private int loadPart(ArticleStore store, List<Integer> part, List<Long> ids) {
    int created = 0;
    for (int i : part) {
      NamedCharacters.Entry entry = list.get(i);
      GetOrCreateResult<Article> answer = store.getOrCreate(entry.slug(), entry.title());
      ids.set(i, answer.entity().getId());
      created += answer.created() ? 1 : 0;
    }
    return created;
  }

  /** Compares what was told and what is stored with the list; answers the number of articles. */
  private int check(List<Loaded> loaded, Map<Long, Article> stored) {
    Map<String, Set<String>> titles = new HashMap<>();
    list.forEach(e -> titles.computeIfAbsent(e.slug(), slug -> new HashSet<>()).add(e.title()));
    DemoFailure.unlessEqual(
        "Articles reported as created",
        titles.size(),
        loaded.stream().mapToInt(Loaded::created).sum());
    DemoFailure.unlessEqual(
        "Rows with a slug of the list",
        (long) titles.size(),
        stored.values().stream().filter(a -> titles.containsKey(a.getSlug())).count());
    for (int i = 0; i < list.size(); i++) {
      String slug = list.get(i).slug();
      for (Loaded told : loaded) {
        Article article = stored.get(told.ids().get(i));
        DemoFailure.unless(article != null, "The article %s was lost", slug);
        DemoFailure.unlessEqual("The slug of article " + article.getId(), slug, article.getSlug());
        DemoFailure.unless(
            titles.get(slug).contains(article.getTitle()),
            "The article %s has the title %s",
            slug,
            article.getTitle());
      }
    }
    return titles.size();
  }

  private static Map<Long, Article> stored(Rowlock rowlock) {
    return rowlock
        .named("read all")
        .call(
            unit ->
                unit.entityManager()
                    .createQuery("select a from Article a", Article.class)
                    .getResultStream()
                    .collect(Collectors.toMap(Article::getId, article -> article)));
  }
}
