package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.testing.MapCache;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Cacheable;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import java.util.List;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;
import org.hibernate.annotations.NaturalId;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B9: the second-level cache and the query cache answer nothing that an operation made untrue. */
class B9CachesIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table cached (id bigint generated always as identity primary key,"
              + " slug text not null unique, title text)");

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit =
        db.unit(Cached.class)
            .property("hibernate.cache.region.factory_class", MapCache.class.getName())
            .property("hibernate.cache.use_second_level_cache", "true")
            .property("hibernate.cache.use_query_cache", "true")
            .open();
    create = new Creating(unit);
  }

  @BeforeEach
  void one_cached_row() throws Exception {
    unit.factory().getCache().evictAll();
    db.execute("truncate cached", "insert into cached (slug, title) values ('a', 'old')");
  }

  @Test
  void an_updated_row_is_no_longer_answered_from_the_cache() throws Exception {
    Long id = db.number("select id from cached");
    assertThat(find(id).title).isEqualTo("old");
    assertThat(unit.factory().getCache().contains(Cached.class, id)).isTrue();

    create.upsert(new Cached("a", "new"));

    assertThat(unit.factory().getCache().contains(Cached.class, id)).isFalse();
    assertThat(find(id).title).isEqualTo("new");
  }

  @Test
  void a_row_that_was_rolled_back_never_was_in_the_cache() throws Exception {
    Long id = db.number("select id from cached");
    try (var em = unit.factory().createEntityManager()) {
      em.getTransaction().begin();
      Cached created = create.getOrCreate(em, new Cached("b", "never")).entity();
      assertThat(create.upsert(em, new Cached("a", "never")).entity().title).isEqualTo("never");
      create.getOrCreate(em, new Cached("a", "x"));
      em.getTransaction().rollback();
      assertThat(unit.factory().getCache().contains(Cached.class, created.id)).isFalse();
    }
    assertThat(find(id).title).isEqualTo("old");
  }

  @Test
  void a_cached_query_sees_a_created_row() {
    assertThat(titles()).containsExactly("old");
    create.getOrCreate(new Cached("b", "new"));
    assertThat(titles()).containsExactly("old", "new");
    create.upsert(new Cached("b", "newer"));
    assertThat(titles()).containsExactly("old", "newer");
  }

  private static Cached find(Long id) {
    return unit.factory().callInTransaction(em -> em.find(Cached.class, id));
  }

  private static List<String> titles() {
    return unit.factory()
        .callInTransaction(
            em ->
                em.createQuery("select c.title from cached c order by c.slug", String.class)
                    .setHint("org.hibernate.cacheable", true)
                    .getResultList());
  }

  @Entity(name = "cached")
  @Cacheable
  @Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
  static class Cached {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @NaturalId String slug;
    String title;

    protected Cached() {}

    Cached(String slug, String title) {
      this.slug = slug;
      this.title = title;
    }
  }
}
