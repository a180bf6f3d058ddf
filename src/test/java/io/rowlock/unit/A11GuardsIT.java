package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.UnitMisuseException;
import io.rowlock.UnitOfWork;
import io.rowlock.UnitOptions;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Together;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.LockModeType;
import jakarta.persistence.ManyToOne;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.hibernate.Session;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Promise A11: mistakes that would make a rerun or a commit meaningless are told in words that name
 * them.
 */
class A11GuardsIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Tag.TABLE,
          VTag.TABLE,
          "create table note (id bigserial primary key, text text, tag_id bigint references tag)");

  static Rowlock rowlock;

  final AtomicInteger attempts = new AtomicInteger();

  /** Its id is generated when it is inserted, and it takes the tag with it. */
  @Entity(name = "note")
  static class Note {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    String text;

    @ManyToOne(cascade = {CascadeType.PERSIST, CascadeType.MERGE})
    Tag tag;
  }

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Tag.class, VTag.class, Note.class).open().factory());
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "truncate tag, vtag, note",
        "insert into tag values (1, 'a'), (2, 'b')",
        "insert into vtag values (1, 'a')");
  }

  // Instances of failed attempts

  @Test
  void an_instance_created_inside_the_function_is_fine() throws Exception {
    rowlock.run(
        work -> {
          Note note = new Note();
          note.tag = new Tag(3, "c");
          work.entityManager().persist(note);
          failFirst(work);
        });

    assertThat(db.number("select count(*) from note")).isOne();
    assertThat(attempts).hasValue(2);
  }

  @Test
  void an_instance_created_outside_and_persisted_by_two_attempts_is_named() throws Exception {
    Note note = new Note();

    assertThatThrownBy(
            () ->
                rowlock
                    .named("write note")
                    .run(
                        work -> {
                          work.entityManager().persist(note);
                          failFirst(work);
                        }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("Note")
        .hasMessageContaining("'write note' on attempt 1")
        .hasMessageContaining("given to persist")
        .hasMessageContaining("Create or load it inside the function");
    assertThat(db.number("select count(*) from note")).isZero();
  }

  @Test
  void an_instance_that_comes_along_by_a_cascade_is_named() throws Exception {
    Tag tag = new Tag(3, "c");

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      Note note = new Note();
                      note.tag = tag;
                      work.entityManager().persist(note);
                      failFirst(work);
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("unit.Tag");
  }

  static Stream<Named<BiConsumer<EntityManager, Object>>> operations() {
    return Stream.of(
        Named.of("merge", EntityManager::merge), Named.of("remove", EntityManager::remove));
  }

  @ParameterizedTest
  @MethodSource("operations")
  void an_instance_loaded_by_a_failed_attempt_and_handed_in_again_is_named(
      BiConsumer<EntityManager, Object> operation) {
    AtomicReference<Tag> captured = new AtomicReference<>();

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      EntityManager em = work.entityManager();
                      if (captured.get() == null) {
                        captured.set(em.find(Tag.class, 1L));
                      } else {
                        operation.accept(em, captured.get());
                      }
                      failFirst(work);
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("unit.Tag")
        .hasMessageContaining("attempt 1");
  }

  static Stream<Named<BiConsumer<EntityManager, Object>>> operationsOnManagedInstances() {
    return Stream.of(
        Named.of("refresh", EntityManager::refresh),
        Named.of("lock", (em, entity) -> em.lock(entity, LockModeType.PESSIMISTIC_WRITE)));
  }

  /** Hibernate before 7.2 refuses such an instance itself, before anybody is told of it. */
  @ParameterizedTest
  @MethodSource("operationsOnManagedInstances")
  void an_instance_of_a_failed_attempt_that_must_be_managed_is_refused(
      BiConsumer<EntityManager, Object> operation) {
    AtomicReference<Tag> captured = new AtomicReference<>();

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      EntityManager em = work.entityManager();
                      if (captured.get() == null) {
                        captured.set(em.find(Tag.class, 1L));
                      } else {
                        operation.accept(em, captured.get());
                      }
                      failFirst(work);
                    }))
        .isInstanceOfAny(UnitMisuseException.class, IllegalArgumentException.class)
        .hasMessageMatching(
            "An instance of .*unit\\.Tag .*attempt 1.*|.*not associated with the persistence context");
    assertThat(attempts).hasValue(1);
  }

  @Test
  void the_misuse_is_told_even_if_the_function_swallows_it() throws Exception {
    Tag tag = new Tag(3, "c");

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      EntityManager em = work.entityManager();
                      try {
                        em.persist(tag);
                      } catch (RuntimeException e) {
                        em.createNativeQuery("insert into tag values (4, 'd')").executeUpdate();
                      }
                      failFirst(work);
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("given to persist");
    assertThat(db.number("select count(*) from tag")).isEqualTo(2);
  }

  @Test
  void changing_an_instance_of_a_failed_attempt_does_not_pass_for_success() throws Exception {
    AtomicReference<Tag> captured = new AtomicReference<>();

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      if (captured.get() == null) {
                        captured.set(work.entityManager().find(Tag.class, 1L));
                      }
                      captured.get().n++;
                      failFirst(work);
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("attribute 'n' was changed, which stores nothing");
    assertThat(db.number("select n from tag where id = 1")).isZero();
  }

  @Test
  void an_instance_of_a_failed_attempt_that_is_only_looked_at_does_no_harm() throws Exception {
    List<Tag> seen = new ArrayList<>();

    rowlock.run(
        work -> {
          seen.add(work.entityManager().find(Tag.class, 1L));
          failFirst(work);
          seen.get(seen.size() - 1).n = seen.get(0).n + 1;
        });

    assertThat(seen.get(0)).isNotSameAs(seen.get(1));
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(1);
  }

  @Test
  void an_instance_of_a_failed_attempt_may_be_used_when_the_unit_is_over() throws Exception {
    AtomicReference<Tag> captured = new AtomicReference<>();
    rowlock.run(
        work -> {
          if (captured.get() == null) {
            captured.set(work.entityManager().find(Tag.class, 1L));
          }
          failFirst(work);
        });
    captured.get().note = "merged later";

    rowlock.run(work -> work.entityManager().merge(captured.get()));

    assertThat(db.one("select note from tag where id = 1")).isEqualTo("merged later");
  }

  @Test
  void a_detached_instance_from_outside_may_be_merged_by_every_attempt() throws Exception {
    Tag detached = rowlock.call(work -> work.entityManager().find(Tag.class, 1L));
    detached.note = "merged";

    rowlock.run(
        work -> {
          work.entityManager().merge(detached);
          work.entityManager().flush();
          failFirst(work);
        });

    assertThat(db.one("select note from tag where id = 1")).isEqualTo("merged");
    assertThat(attempts).hasValue(2);
  }

  @Test
  void a_version_raised_in_memory_by_a_failed_flush_is_not_carried_over() throws Exception {
    rowlock
        .retrying(policy -> policy.alsoAfter(FailureKind.OPTIMISTIC_LOCK))
        .run(
            work -> {
              VTag tag = work.entityManager().find(VTag.class, 1L);
              tag.n++;
              work.entityManager().flush();
              failFirst(work);
            });

    assertThat(db.number("select ver from vtag")).isEqualTo(1);
    assertThat(db.number("select n from vtag")).isEqualTo(1);
  }

  @Test
  void instances_of_an_attempt_that_failed_in_the_flush_of_its_commit_are_known_too()
      throws Exception {
    Tag tag = new Tag(3, "c");
    db.execute(
        "create function refuse() returns trigger language plpgsql as"
            + " $$ begin raise exception 'refused' using errcode = '40001'; end $$",
        "create trigger refuse before insert on tag execute function refuse()");
    try {
      assertThatThrownBy(
              () ->
                  rowlock.run(
                      work -> {
                        attempts.incrementAndGet();
                        work.entityManager().persist(tag);
                      }))
          .isInstanceOf(UnitMisuseException.class)
          .hasMessageContaining("given to persist");
    } finally {
      db.execute("drop function refuse cascade");
    }
    assertThat(attempts).hasValue(2);
  }

  // Transactions that the function ends itself

  static Stream<Named<UnitBody>> endings() {
    return Stream.of(
        Named.of("commit", work -> work.entityManager().getTransaction().commit()),
        Named.of("rollback", work -> work.entityManager().getTransaction().rollback()),
        Named.of(
            "rollback and begin",
            work -> {
              work.entityManager().getTransaction().rollback();
              work.entityManager().getTransaction().begin();
              work.entityManager().persist(new Tag(4, "d"));
              work.entityManager().getTransaction().commit();
            }),
        Named.of(
            "commit of the connection",
            work ->
                work.entityManager()
                    .unwrap(Session.class)
                    .doWork(connection -> connection.commit())),
        Named.of(
            "rollback by a statement",
            work ->
                work.entityManager()
                    .unwrap(Session.class)
                    .doWork(
                        connection -> {
                          try (Statement statement = connection.createStatement()) {
                            statement.execute("rollback");
                          }
                        })),
        Named.of("close", work -> work.entityManager().close()));
  }

  interface UnitBody {
    void run(UnitOfWork work) throws SQLException;
  }

  @ParameterizedTest
  @MethodSource("endings")
  void a_function_that_ends_the_transaction_is_told_so(UnitBody ending) {
    assertThatThrownBy(
            () ->
                rowlock
                    .named("careless")
                    .run(
                        work -> {
                          attempts.incrementAndGet();
                          work.entityManager().persist(new Tag(3, "c"));
                          ending.run(work);
                        }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("'careless' on attempt 1");
    assertThat(attempts).hasValue(1);
  }

  @Test
  void a_commit_by_the_function_is_prevented() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().persist(new Tag(3, "c"));
                      work.entityManager().getTransaction().commit();
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("was about to commit its transaction itself, which was prevented");
    assertThat(db.number("select count(*) from tag")).isEqualTo(2);
  }

  @Test
  void a_commit_that_was_prevented_and_swallowed_is_still_told() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      EntityManager em = work.entityManager();
                      em.persist(new Tag(3, "c"));
                      assertThatThrownBy(() -> em.getTransaction().commit())
                          .isInstanceOf(RuntimeException.class);
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("prevented");
    assertThat(db.number("select count(*) from tag")).isEqualTo(2);
  }

  @Test
  void after_a_rollback_by_the_function_no_other_transaction_is_begun_in_its_place()
      throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      EntityManager em = work.entityManager();
                      em.getTransaction().rollback();
                      em.getTransaction().begin();
                      em.persist(new Tag(4, "d"));
                      em.getTransaction().commit();
                    }))
        .isInstanceOf(UnitMisuseException.class);
    assertThat(db.number("select count(*) from tag")).isEqualTo(2);
  }

  // Units used where they do not belong

  @Test
  void a_unit_that_is_over_can_do_nothing_more() {
    AtomicReference<UnitOfWork> kept = new AtomicReference<>();
    rowlock.run(kept::set);

    assertThatThrownBy(() -> kept.get().entityManager())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is over");
    assertThatThrownBy(() -> kept.get().lock(Tag.class, List.of(1L)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is over");
  }

  @Test
  void a_unit_can_be_used_by_its_own_thread_only() {
    rowlock.run(
        work ->
            assertThatThrownBy(() -> Together.get(Together.start(work::entityManager)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("belongs to thread"));
  }

  @Test
  void a_unit_needs_a_name_and_a_function() {
    UnitOptions options = rowlock;
    assertThatThrownBy(() -> options.named(" ")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> options.run(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> options.call(null)).isInstanceOf(NullPointerException.class);
  }

  private void failFirst(UnitOfWork work) {
    if (attempts.incrementAndGet() == 1) {
      work.entityManager().flush();
      Conflicts.raise(work.entityManager(), "40001");
    }
  }
}
