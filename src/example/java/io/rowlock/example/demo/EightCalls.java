package io.rowlock.example.demo;

import io.rowlock.create.GetOrCreateResult;
import io.rowlock.example.Article;
import io.rowlock.example.ArticleStore;
import java.util.ArrayList;
import java.util.List;

/** Eight calls at once for one slug that is not there yet. */
final class EightCalls implements Part {

  private static final int CALLS = 8;
  private static final String SLUG = "the-same-slug";

  private final DemoSchema schema;

  EightCalls(DemoSchema schema) {
    this.schema = schema;
  }

  @Override
  public String title() {
    return "Eight calls at once for one new slug";
  }

  @Override
  public String run() throws Exception {
    List<GetOrCreateResult<Article>> answers;
    try (Application application = schema.openApplication()) {
      ArticleStore store = application.store();
      answers = Workers.run(CALLS, call -> store.getOrCreate(SLUG, "Title of call " + call));
    }
    List<List<Object>> rows = new ArrayList<>();
    for (int call = 0; call < answers.size(); call++) {
      Article article = answers.get(call).entity();
      rows.add(
          List.of(
              call,
              article.getId(),
              answers.get(call).created() ? "created" : "existing",
              article.getTitle()));
    }
    Console.table(List.of("call", "id", "outcome", "title"), rows);

    DemoFailure.unlessEqual(
        "Calls that created the article",
        1L,
        answers.stream().filter(GetOrCreateResult::created).count());
    DemoFailure.unlessEqual(
        "Different articles answered",
        1L,
        answers.stream().map(answer -> answer.entity().getId()).distinct().count());
    DemoFailure.unlessEqual(
        "Different titles answered",
        1L,
        answers.stream().map(answer -> answer.entity().getTitle()).distinct().count());
    DemoFailure.unlessEqual(
        "Rows with the slug",
        1L,
        schema.number("select count(*) from articles where slug = '" + SLUG + "'"));
    return "one row, eight answers, one of them 'created'";
  }
}
