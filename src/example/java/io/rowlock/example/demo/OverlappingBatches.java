package io.rowlock.example.demo;

import io.rowlock.Rowlock;
import io.rowlock.example.ArticleStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Eight workers raise the revisions of overlapping sets of articles. */
final class OverlappingBatches implements Part {

  private static final int WORKERS = 8;
  private static final int ARTICLES = 1_000;
  private static final int BATCH = 50;
  private static final int BATCHES = 100;

  private final DemoSchema schema;
  private final boolean alone;

  /** In a database that the demo has alone, or not: others' deadlocks are counted with its own. */
  OverlappingBatches(DemoSchema schema, boolean alone) {
    this.schema = schema;
    this.alone = alone;
  }

  @Override
  public String title() {
    return String.format(
        Locale.ROOT,
        "Eight workers, %d batches each: revisions of %d out of %,d articles",
        BATCHES,
        BATCH,
        ARTICLES);
  }

  @Override
  public String run() throws Exception {
    long deadlocksBefore = schema.deadlocks();
    List<Long> ids;
    AtomicIntegerArray asked = new AtomicIntegerArray(ARTICLES);
    Reruns reruns;
    String speed;
    try (Application application = schema.openApplication()) {
      reruns = application.reruns();
      ids = chosen(application.rowlock());
      ArticleStore store = application.store();
      try (Progress progress = new Progress((long) WORKERS * BATCHES, "batches")) {
        Workers.run(WORKERS, worker -> increment(store, new Random(worker), ids, asked, progress));
        speed = progress.summary();
      }
    }
    long deadlocks = schema.deadlocks() - deadlocksBefore;
    Console.line("  %s, %d reruns, %d deadlocks", speed, reruns.reruns(), deadlocks);

    Map<Long, Long> revisions = schema.revisions();
    long total = 0;
    for (int i = 0; i < ARTICLES; i++) {
      long revision = revisions.get(ids.get(i));
      DemoFailure.unlessEqual(
          "The revision of article " + ids.get(i), (long) asked.get(i), revision);
      total += revision;
    }
    DemoFailure.unlessEqual("The sum of the revisions", (long) WORKERS * BATCHES * BATCH, total);
    DemoFailure.unlessEqual("Units that were a deadlock's victim", 0, reruns.deadlocks());
    DemoFailure.unless(
        deadlocks == 0 || !alone, "The server has counted %d deadlocks, expected none", deadlocks);
    return String.format(
        Locale.ROOT, "%,d increments, each there once, no deadlock; %s", total, speed);
  }

  /** Articles that nobody has changed yet, in an order unlike their ids. */
  private static List<Long> chosen(Rowlock rowlock) {
    List<Long> ids =
        new ArrayList<>(
            rowlock.<List<Long>, RuntimeException>call(
                unit ->
                    unit.entityManager()
                        .createQuery(
                            "select a.id from Article a where a.revision = 0 order by a.id",
                            Long.class)
                        .setMaxResults(ARTICLES)
                        .getResultList()));
    Collections.shuffle(ids, new Random(1));
    return ids;
  }

  private static Void increment(
      ArticleStore store,
      Random random,
      List<Long> ids,
      AtomicIntegerArray asked,
      Progress progress) {
    for (int i = 0; i < BATCHES; i++) {
      List<Integer> batch = random.ints(0, ids.size()).distinct().limit(BATCH).boxed().toList();
      store.incrementRevisions(batch.stream().map(ids::get).toList());
      batch.forEach(asked::incrementAndGet);
      progress.add(1);
    }
    return null;
  }
}
