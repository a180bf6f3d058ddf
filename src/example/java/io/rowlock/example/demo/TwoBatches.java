package io.rowlock.example.demo;

import io.rowlock.example.ArticleStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Two batches that overlap, in opposite orders. */
final class TwoBatches implements Part {

  private final DemoSchema schema;

  TwoBatches(DemoSchema schema) {
    this.schema = schema;
  }

  @Override
  public String title() {
    return "The batches [3, 1, 2] and [3, 2] of three articles at once";
  }

  @Override
  public String run() throws Exception {
    List<Long> ids = new ArrayList<>();
    List<Map<Long, Long>> answers;
    try (Application application = schema.openApplication()) {
      ArticleStore store = application.store();
      for (String slug : List.of("first", "second", "third")) {
        ids.add(store.getOrCreate(slug, "The " + slug + " article").entity().getId());
      }
      List<List<Long>> batches =
          List.of(List.of(ids.get(2), ids.get(0), ids.get(1)), List.of(ids.get(2), ids.get(1)));
      answers = Workers.run(2, batch -> store.incrementRevisions(batches.get(batch)));
    }
    Map<Long, Long> stored = schema.revisions();
    List<Long> expected = List.of(1L, 2L, 2L);
    List<List<Object>> rows = new ArrayList<>();
    List<Long> revisions = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      long revision = stored.get(ids.get(i));
      revisions.add(revision);
      rows.add(
          List.of(
              i + 1,
              answered(answers.get(0), ids.get(i)),
              answered(answers.get(1), ids.get(i)),
              revision));
    }
    Console.table(
        List.of("article", "answer to [3, 1, 2]", "answer to [3, 2]", "stored revision"), rows);
    DemoFailure.unlessEqual("Revisions of articles 1, 2, 3", expected, revisions);
    return "revisions 1, 2, 2";
  }

  private static Object answered(Map<Long, Long> answer, Long id) {
    return answer.containsKey(id) ? answer.get(id) : "-";
  }
}
