package io.rowlock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.example.Article;
import io.rowlock.lock.LockPlan;
import io.rowlock.lock.Locked;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
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

  /** How many articles an author has. */
  @Entity(name = "author")
  static class Author {
    @Id Long id;
    int articles;

    void add(int more) {
      articles += more;
    }
  }

  private static TestUnit unit;

  @BeforeAll
  static void open() throws Exception {
    db.execute(Files.readString(Path.of("liquibase/articles/articles.sql")));
    db.execute("create table author (id bigint primary key, articles int not null)");
    unit = db.unit(Article.class, Author.class).open();
  }

  @BeforeEach
  void threeArticles() throws Exception {
    db.execute(
        "truncate articles restart identity",
        "truncate author",
        "insert into author values (7, 0)",
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

  @Test
  void a_lock_plan() throws Exception {
    Rowlock rowlock = Rowlock.of(unit.factory());

    rowlock.run(
        unit -> {
          Locked rows =
              unit.lock(LockPlan.of(Article.class, List.of(2L, 1L)).and(Author.class, List.of(7L)));
          rows.get(Author.class, 7L).add(rows.of(Article.class).size());
        });

    assertThat(db.number("select articles from author")).isEqualTo(2);
  }
}
