package io.rowlock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.example.Article;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The code that the documents show, run as it stands there; {@link ReadmeTest} compares the two.
 */
class SnippetsIT {

  @RegisterExtension static final Postgres db = new Postgres();

  private static TestUnit unit;

  @BeforeAll
  static void open() throws Exception {
    db.execute(Files.readString(Path.of("liquibase/articles/articles.sql")));
    unit = db.unit(Article.class).open();
  }

  @BeforeEach
  void threeArticles() throws Exception {
    db.execute(
        "truncate articles restart identity",
        "insert into articles (slug, title) values ('a', 'A'), ('b', 'B'), ('c', 'C')");
  }

  @Test
  void the_first_example() throws Exception {
    EntityManagerFactory entityManagerFactory = unit.factory();
    try (EntityManager entityManager = entityManagerFactory.createEntityManager()) {
      entityManager.getTransaction().begin();

      Rowlock rowlock = Rowlock.of(entityManagerFactory);

      // one row for the slug, however many callers there are
      GetOrCreateResult<Article> first =
          rowlock.call(unit -> unit.getOrCreate(new Article("intro", "An introduction")));

      // all rows are locked in one order before anything changes
      rowlock.run(
          unit -> {
            Map<Long, Article> locked = unit.lock(Article.class, List.of(3L, 1L, 2L));
            locked.values().forEach(article -> article.setTitle(article.getTitle() + "!"));
          });

      // an existing service, one call at a time: its own transaction, its own entity manager
      GetOrCreateResult<Article> joined =
          rowlock.on(entityManager).getOrCreate(new Article("intro", "An introduction"));

      entityManager.getTransaction().commit();
      assertThat(first.created()).isTrue();
      assertThat(joined.created()).isFalse();
      assertThat(joined.entity().getId()).isEqualTo(first.entity().getId());
    }
    assertThat(db.column("select title from articles order by id"))
        .containsExactly("A!", "B!", "C!", "An introduction");
  }
}
