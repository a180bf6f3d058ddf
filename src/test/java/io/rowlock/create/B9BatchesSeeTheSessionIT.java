package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import jakarta.persistence.OptimisticLockException;
import java.util.List;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B9: a batch sees what the session has not written yet, in every flush mode. */
class B9BatchesSeeTheSessionIT {

  @RegisterExtension static final Postgres db = new Postgres(Page.TABLE);

  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Page.class).open().factory());
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute(
        "truncate page",
        "insert into page (slug, title, visits, version) values ('there', 'there', 1, 0)");
  }

  @Test
  void an_instance_that_was_only_persisted_is_the_one_that_is_answered() throws Exception {
    for (FlushMode mode : FlushMode.values()) {
      one_row();
      rowlock.run(
          work -> {
            Page pending = new Page("pend", "mine");
            session(work, mode).persist(pending);
            GetOrCreateResult<Page> answer =
                work.getOrCreateAll(List.of(new Page("pend", "x"), new Page("a", "x"))).get(0);
            assertThat(answer.created()).as("%s", mode).isFalse();
            assertThat(answer.entity()).as("%s", mode).isSameAs(pending);
          });
      assertThat(db.number("select count(*) from page where slug = 'pend'")).isOne();
    }
  }

  @Test
  void a_removed_row_is_made_anew() throws Exception {
    for (FlushMode mode : FlushMode.values()) {
      for (var batch : Operations.batches().entrySet()) {
        one_row();
        rowlock.run(
            work -> {
              Session session = session(work, mode);
              session.remove(find(session));
              Object answer = batch.getValue().on(work, List.of(new Page("there", "anew"))).get(0);
              assertThat(Operations.created(answer)).as("%s %s", mode, batch.getKey()).isTrue();
            });
        assertThat(db.column("select title from page")).containsExactly("anew");
      }
    }
  }

  @Test
  void dirty_state_is_written_before_a_batch_adds_to_it() throws Exception {
    for (FlushMode mode : FlushMode.values()) {
      one_row();
      rowlock.run(
          work -> {
            Page dirty = find(session(work, mode));
            dirty.visits = 40;
            Page more = new Page("there", "upserted");
            more.visits = 2;
            work.upsertAll(List.of(more), Upsert.defaults().replacing("title").adding("visits"));
            assertThat(dirty.visits).as("%s", mode).isEqualTo(42);
            assertThat(dirty.version).as("%s", mode).isEqualTo(2);
          });
      assertThat(db.one("select visits || ' ' || title || ' ' || version from page"))
          .isEqualTo("42 upserted 2");
    }
  }

  @Test
  void an_optimistic_reader_notices_a_batch() {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      Page read = find(work.entityManager());
                      upsertElsewhere();
                      read.title = "stale";
                    }))
        .isInstanceOf(Exception.class)
        .hasStackTraceContaining(OptimisticLockException.class.getSimpleName());
  }

  private static void upsertElsewhere() {
    Together.get(
        Together.start(
            () -> {
              rowlock.run(work -> work.upsertAll(List.of(new Page("there", "newer"))));
              return null;
            }));
  }

  private static Session session(UnitOfWork work, FlushMode mode) {
    Session session = work.entityManager().unwrap(Session.class);
    session.setHibernateFlushMode(mode);
    return session;
  }

  private static Page find(EntityManager em) {
    return em.createQuery("from Page where slug = 'there'", Page.class).getSingleResult();
  }
}
