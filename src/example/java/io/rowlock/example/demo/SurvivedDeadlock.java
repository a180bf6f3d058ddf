package io.rowlock.example.demo;

import io.rowlock.example.ArticleStore;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A writer that is not Rowlock locks two articles in the opposite order. */
final class SurvivedDeadlock implements Part {

  /**
   * The server chooses the victim: the unit, unless the machine is too busy to let the outsider
   * wait in time.
   */
  private static final int TRIES = 5;

  private final DemoSchema schema;

  SurvivedDeadlock(DemoSchema schema) {
    this.schema = schema;
  }

  @Override
  public String title() {
    return "A deadlock with a writer that is not Rowlock";
  }

  @Override
  public String run() throws Exception {
    long before = schema.deadlocks();
    try (Application application = schema.openApplication()) {
      Reruns reruns = application.reruns();
      for (int i = 1; reruns.deadlocks() == 0; i++) {
        DemoFailure.unless(i <= TRIES, "No unit was a deadlock's victim in %d tries", TRIES);
        collide(application.store(), "left-" + i, "right-" + i);
      }
      DemoFailure.unlessEqual("Reruns", 1, reruns.reruns());
    }
    long counted = schema.deadlocks() - before;
    DemoFailure.unless(counted > 0, "The server has counted no deadlock");
    Console.line("  deadlocks counted by the server: %d", counted);
    return "the unit was the victim, ran again, and both writers' changes are there once";
  }

  private void collide(ArticleStore store, String left, String right) throws SQLException {
    long first = store.getOrCreate(left, "Title").entity().getId();
    long second = store.getOrCreate(right, "Title").entity().getId();
    CompletableFuture<?> unit;
    boolean outsiderWrites;
    try (Outsider outsider = new Outsider(schema)) {
      outsider.append(second, " +outsider");
      Console.line("  the outsider has changed article %d", second);
      unit =
          CompletableFuture.runAsync(
              () ->
                  store.changeArticles(
                      List.of(second, first), a -> a.setTitle(a.getTitle() + " +unit")));
      outsider.awaitSomebodyWaiting();
      Console.line("  the unit has locked article %d and waits for %d", first, second);
      Console.line("  the outsider wants to change article %d: a deadlock", first);
      outsiderWrites = outsider.append(first, " +outsider");
      outsider.commit();
    }
    unit.join();
    if (!outsiderWrites) {
      Console.line("  the server chose the outsider as its victim: once more");
    }
    String expected = outsiderWrites ? "Title +outsider +unit" : "Title +unit";
    for (String slug : List.of(left, right)) {
      String title = store.getOrCreate(slug, "Gone").entity().getTitle();
      Console.line("  %-8s %s", slug, title);
      DemoFailure.unlessEqual("The title of " + slug, expected, title);
    }
  }
}
