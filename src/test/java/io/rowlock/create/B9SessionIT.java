package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
import jakarta.persistence.FlushModeType;
import jakarta.persistence.LockModeType;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.TransactionRequiredException;
import java.sql.SQLException;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B9: unflushed changes are seen, and managed instances show what the database holds. */
class B9SessionIT {

  @RegisterExtension static final Postgres db = new Postgres(Page.TABLE);

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit = db.unit(Page.class).recording().open();
    create = new Creating(unit);
    // what the catalog says is asked for at the first use
    create.getOrCreate(new Page("first", null));
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute(
        "truncate page", "insert into page (slug, title, version) values ('there', 'stored', 0)");
  }

  @Test
  void what_is_answered_is_managed_and_the_candidate_is_only_read() throws Exception {
    Page candidate = new Page("new", "x");
    unit.factory()
        .runInTransaction(
            em -> {
              Page page = create.getOrCreate(em, candidate).entity();
              assertThat(em.contains(page)).isTrue();
              assertThat(em.contains(candidate)).isFalse();
              page.title = "changed";
            });
    assertThat(candidate.id).isNull();
    assertThat(candidate.title).isEqualTo("x");
    assertThat(db.column("select title || version from page where slug = 'new'"))
        .containsExactly("changed1");
  }

  @Test
  void an_instance_that_was_only_persisted_is_found_in_every_flush_mode() throws Exception {
    for (FlushMode mode : FlushMode.values()) {
      db.execute("delete from page where slug <> 'there'");
      unit.factory()
          .runInTransaction(
              em -> {
                em.unwrap(Session.class).setHibernateFlushMode(mode);
                Page pending = new Page("pend", "mine");
                em.persist(pending);
                GetOrCreateResult<Page> result = create.getOrCreate(em, new Page("pend", "x"));
                assertThat(result.created()).isFalse();
                assertThat(result.entity()).isSameAs(pending);
              });
    }
    assertThat(db.number("select count(*) from page where slug = 'pend'")).isEqualTo(1);
  }

  @Test
  void a_removed_row_is_created_anew() throws Exception {
    for (FlushModeType mode : FlushModeType.values()) {
      unit.factory()
          .runInTransaction(
              em -> {
                em.setFlushMode(mode);
                Page old = find(em, "there");
                em.remove(old);
                GetOrCreateResult<Page> result = create.getOrCreate(em, new Page("there", "new"));
                assertThat(result.created()).isTrue();
                assertThat(result.entity()).isNotSameAs(old);
              });
    }
    assertThat(db.column("select title from page")).containsExactly("new");
  }

  @Test
  void dirty_state_is_written_before_the_upsert_looks() throws Exception {
    unit.factory()
        .runInTransaction(
            em -> {
              em.setFlushMode(FlushModeType.COMMIT);
              Page page = find(em, "there");
              page.title = "dirty";
              page.visits = 3;
              UpsertResult<Page> result =
                  create.upsert(
                      em, new Page("there", "upserted"), Upsert.defaults().replacing("title"));
              assertThat(result.entity()).isSameAs(page);
              assertThat(page.title).isEqualTo("upserted");
              assertThat(page.visits).isEqualTo(3);
              assertThat(page.version).isEqualTo(2);
              page.visits++;
            });
    assertThat(db.column("select title || visits || version from page"))
        .containsExactly("upserted43");
  }

  @Test
  void a_stale_managed_instance_shows_the_row_after_each_operation() throws Exception {
    unit.factory()
        .runInTransaction(
            em -> {
              Page page = find(em, "there");
              elsewhere("update page set title = 'elsewhere', version = version + 1");
              assertThat(create.getOrCreate(em, new Page("there", "x")).entity()).isSameAs(page);
              assertThat(page.title).isEqualTo("elsewhere");
              assertThat(page.version).isEqualTo(1);
            });
    unit.factory()
        .runInTransaction(
            em -> {
              Page page = find(em, "there");
              elsewhere("update page set title = 'again', version = version + 1");
              assertThat(create.upsert(em, new Page("there", "again")).entity()).isSameAs(page);
              assertThat(page.title).isEqualTo("again");
              assertThat(page.version).isEqualTo(2);
              page.visits = 500;
            });
    assertThat(db.column("select title || visits || version from page"))
        .containsExactly("again5003");
  }

  @Test
  void an_optimistic_reader_notices_an_upsert() throws Exception {
    EntityManager reader = unit.factory().createEntityManager();
    try (reader) {
      reader.getTransaction().begin();
      Page read = find(reader, "there");
      create.upsert(new Page("there", "upserted"));
      read.title = "lost";
      assertThatThrownBy(reader::flush).isInstanceOf(OptimisticLockException.class);
      reader.getTransaction().rollback();
    }
    assertThat(db.column("select title from page")).containsExactly("upserted");
  }

  @Test
  void a_reference_is_initialized_by_the_same_statement() throws Exception {
    Long id = db.number("select id from page");
    unit.factory()
        .runInTransaction(
            em -> {
              Page reference = em.getReference(Page.class, id);
              unit.log().clear();
              Page page = create.getOrCreate(em, new Page("there", "x")).entity();
              assertThat(page).isSameAs(reference);
              assertThat(em.getEntityManagerFactory().getPersistenceUnitUtil().isLoaded(page))
                  .isTrue();
              assertThat(unit.log().work()).hasSize(1);
            });
  }

  @Test
  void only_an_instance_managed_before_costs_a_refresh() {
    unit.factory()
        .runInTransaction(
            em -> {
              create.getOrCreate(em, new Page("there", "x"));
              unit.log().clear();
              create.getOrCreate(em, new Page("other", "x"));
              assertThat(unit.log().work()).hasSize(1);
              unit.log().clear();
              create.getOrCreate(em, new Page("there", "x"));
              assertThat(unit.log().work()).hasSize(2);
            });
  }

  @Test
  void hibernate_knows_the_lock() {
    unit.factory()
        .runInTransaction(
            em -> {
              Page pinned =
                  create
                      .getOrCreate(
                          em,
                          new Page("there", "x"),
                          GetOrCreate.defaults().pinned(io.rowlock.lock.LockStrength.NO_KEY_UPDATE))
                      .entity();
              assertThat(em.getLockMode(pinned)).isEqualTo(LockModeType.PESSIMISTIC_WRITE);
              unit.log().clear();
              em.lock(pinned, LockModeType.PESSIMISTIC_WRITE);
              assertThat(unit.log().work()).isEmpty();
            });
  }

  @Test
  void a_candidate_that_is_no_new_instance_is_refused_before_any_sql() {
    unit.factory()
        .runInTransaction(
            em -> {
              Page managed = find(em, "there");
              Page reference = em.getReference(Page.class, managed.id + 1000);
              Page detached = new Page("there", "x");
              detached.id = managed.id;
              unit.log().clear();
              assertThatThrownBy(() -> create.getOrCreate(em, managed))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageContaining("is managed");
              assertThatThrownBy(() -> create.upsert(em, reference))
                  .isInstanceOf(IllegalArgumentException.class);
              assertThatThrownBy(() -> create.insertIfAbsent(em, detached))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageContaining("has the id");
              assertThatThrownBy(() -> create.getOrCreate(em, (Page) null))
                  .isInstanceOf(IllegalArgumentException.class);
              assertThatThrownBy(() -> create.getOrCreate(em, "no entity"))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageContaining("java.lang.String is not an entity");
              assertThatThrownBy(() -> create.getOrCreate(em, new Page(null, "x")))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageContaining("slug");
              assertThat(unit.log().work()).isEmpty();
              assertThat(em.getTransaction().getRollbackOnly()).isFalse();
            });
  }

  @Test
  void without_a_transaction_nothing_is_done() {
    try (EntityManager em = unit.factory().createEntityManager()) {
      assertThatThrownBy(() -> create.getOrCreate(em, new Page("there", "x")))
          .isInstanceOf(TransactionRequiredException.class);
    }
  }

  private static Page find(EntityManager em, String slug) {
    return em.createQuery("from Page where slug = :slug", Page.class)
        .setParameter("slug", slug)
        .getSingleResult();
  }

  private static void elsewhere(String sql) {
    try {
      db.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
