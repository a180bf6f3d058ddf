package io.rowlock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.CommitOutcome;
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
import java.util.UUID;
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

  /** That something was paid. */
  @Entity(name = "payments")
  static class Payment {
    @Id UUID id;

    Payment() {}

    Payment(UUID id) {
      this.id = id;
    }
  }

  private static TestUnit unit;

  @BeforeAll
  static void open() throws Exception {
    db.execute(Files.readString(Path.of("liquibase/articles/articles.sql")));
    db.execute("create table author (id bigint primary key, articles int not null)");
    db.execute("create table payments (id uuid primary key)");
    unit = db.unit(Article.class, Author.class, Payment.class).open();
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
  void a_check_of_ones_own() throws Exception {
    Rowlock rowlock = Rowlock.of(unit.factory());

    UUID payment = UUID.randomUUID();
    rowlock
        .commitCheck(
            (info, em) ->
                em.createNativeQuery("insert into payments values (?) on conflict do nothing")
                            .setParameter(1, payment)
                            .executeUpdate()
                        == 1
                    ? CommitOutcome.ROLLED_BACK
                    : CommitOutcome.COMMITTED)
        .run(unit -> unit.entityManager().persist(new Payment(payment)));

    assertThat(db.one("select id from payments")).isEqualTo(payment);
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
