package io.rowlock.example;

import io.rowlock.MissingRowsException;
import io.rowlock.Rowlock;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.create.InsertResult;
import io.rowlock.create.Upsert;
import io.rowlock.create.UpsertResult;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What can be done with articles. Each call is one unit of work: one transaction, run again from
 * its first line when PostgreSQL aborts it. Called inside a unit of the caller's, it joins that
 * one, so that several calls can be made one transaction:
 *
 * <pre>{@code
 * rowlock.run(unit -> {
 *   store.getOrCreate("a", "A");
 *   store.incrementRevisions(List.of(7L, 3L));
 * });
 * }</pre>
 *
 * <p>The articles that a call answers are managed inside a unit of the caller's, and detached
 * copies of the committed rows outside.
 *
 * <p>Safe for use by any thread.
 */
public final class ArticleStore {

  private final Rowlock rowlock;

  /** A store on the Rowlock of a factory that has {@link Article} mapped. */
  public ArticleStore(Rowlock rowlock) {
    this.rowlock = rowlock;
  }

  /**
   * Answers the article with the slug and whether this call created it. The title of an article
   * that was there is left alone. The row can be neither deleted nor re-keyed by others until the
   * unit ends.
   */
  public GetOrCreateResult<Article> getOrCreate(String slug, String title) {
    return rowlock
        .named("get or create an article")
        .call(unit -> unit.getOrCreate(new Article(slug, title)));
  }

  /** Stores the article unless there is one with the slug; a skipped insert answers no article. */
  public InsertResult<Article> insertIfAbsent(String slug, String title) {
    return rowlock
        .named("insert an article if absent")
        .call(unit -> unit.insertIfAbsent(new Article(slug, title)));
  }

  /**
   * Stores those articles whose slugs there are not yet; answers in the order of the call, see
   * {@link #insertIfAbsent}. Of several with one slug the first one is stored.
   */
  public List<InsertResult<Article>> insertIfAbsentAll(Collection<Article> articles) {
    return rowlock
        .named("insert articles if absent")
        .call(unit -> unit.insertIfAbsentAll(articles));
  }

  /**
   * Stores the article or, where there is one with the slug, replaces its title and raises its
   * revision. The revision stays where the title is the same already.
   */
  public UpsertResult<Article> createOrReplaceTitle(String slug, String title) {
    return rowlock
        .named("create an article or replace its title")
        .call(unit -> unit.upsert(new Article(slug, title), Upsert.defaults().replacing("title")));
  }

  /**
   * Raises the revision of each article by one, all or none. All are locked in the order of their
   * ids first, so that calls with overlapping ids wait for each other instead of deadlocking.
   *
   * @param ids at least one; one given twice counts once
   * @return the new revisions by id, in the order of the ids
   * @throws IllegalArgumentException if there is no id, or one is null or not positive
   * @throws MissingRowsException if an article does not exist; names all that do not, and nothing
   *     was changed
   */
  public Map<Long, Long> incrementRevisions(Collection<Long> ids) {
    List<Long> checked = checked(ids);
    return rowlock
        .named("increment revisions")
        .call(unit -> unit.incrementVersions(Article.class, checked));
  }

  /**
   * Changes each article with the function, all or none, under the same lock as {@link
   * #incrementRevisions(Collection)}.
   *
   * @param ids at least one; one given twice counts once
   * @param change is called once for each article, in the order of their ids; and again when the
   *     unit is run again
   * @return the changed articles by id, in the order of the ids
   * @throws IllegalArgumentException if there is no id, or one is null or not positive
   * @throws MissingRowsException if an article does not exist; names all that do not, and nothing
   *     was changed
   */
  public Map<Long, Article> changeArticles(Collection<Long> ids, Consumer<Article> change) {
    List<Long> checked = checked(ids);
    return rowlock
        .named("change articles")
        .call(unit -> unit.change(Article.class, checked, change));
  }

  /**
   * Lists the slugs that more than one row has, in their order. There are none once the table has
   * its unique constraint; this is for a table that is to get it.
   */
  public List<DuplicateSlug> findDuplicateSlugs() {
    return rowlock
        .named("find duplicate slugs")
        .call(
            unit ->
                DuplicateSlug.group(
                    unit.entityManager()
                        .createQuery(
                            "select a.slug, a.id from Article a where a.slug in"
                                + " (select b.slug from Article b group by b.slug having count(b.id) > 1)"
                                + " order by a.slug, a.id",
                            Object[].class)
                        .getResultList()));
  }

  /** A mistake in the arguments is the caller's: it costs no connection. */
  private static List<Long> checked(Collection<Long> ids) {
    if (ids.isEmpty()) {
      throw new IllegalArgumentException("No article is named");
    }
    for (Long id : ids) {
      if (id == null || id <= 0) {
        throw new IllegalArgumentException("An article's id is positive, not " + id);
      }
    }
    return List.copyOf(ids);
  }
}
