package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.retry.Failure;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
import jakarta.persistence.FlushModeType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise A1: a unit is one transaction on one connection, and each attempt starts afresh. */
class A1WholeAndFreshIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  static TestUnit unit;
  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class).open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void two_rows() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a'), (2, 'b')");
  }

  @Test
  void everything_a_unit_does_is_one_transaction_on_one_connection() throws Exception {
    List<Object> seen =
        rowlock.call(
            work -> {
              EntityManager em = work.entityManager();
              String who = "select pg_backend_pid() || ' ' || pg_current_xact_id()";
              List<Object> answers = new ArrayList<>();
              answers.add(em.createNativeQuery(who).getSingleResult());
              em.persist(new Tag(3, "c"));
              em.flush();
              answers.add(em.createNativeQuery(who).getSingleResult());
              return answers;
            });

    assertThat(seen.get(0)).isEqualTo(seen.get(1));
    assertThat(db.number("select count(*) from tag")).isEqualTo(3);
  }

  @Test
  void a_unit_that_throws_leaves_nothing_behind_and_its_exception_leaves_as_it_was_thrown()
      throws Exception {
    Exception thrown = new Exception("a checked one");

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().persist(new Tag(3, "c"));
                      work.entityManager().flush();
                      throw thrown;
                    }))
        .isSameAs(thrown)
        .hasNoSuppressedExceptions();

    assertThat(db.number("select count(*) from tag")).isEqualTo(2);
  }

  @Test
  void every_attempt_starts_with_an_empty_persistence_context_and_nothing_queued()
      throws Exception {
    List<EntityManager> used = new ArrayList<>();
    List<Tag> loaded = new ArrayList<>();

    rowlock.run(
        work -> {
          EntityManager em = work.entityManager();
          used.add(em);
          loaded.add(em.find(Tag.class, 1L));
          if (used.size() == 1) {
            loaded.get(0).note = "left behind";
            em.persist(new Tag(3, "left behind"));
            em.setFlushMode(FlushModeType.COMMIT);
            em.setProperty("jakarta.persistence.query.timeout", 1);
            em.createNativeQuery(Conflicts.raising("40001")).executeUpdate();
          }
          assertThat(em.getFlushMode()).isEqualTo(FlushModeType.AUTO);
          assertThat(em.contains(loaded.get(0))).isFalse();
        });

    assertThat(used).hasSize(2).doesNotHaveDuplicates();
    assertThat(used).noneMatch(EntityManager::isOpen);
    assertThat(loaded.get(0)).isNotSameAs(loaded.get(1));
    assertThat(db.column("select note from tag order by id")).containsExactly(null, null);
  }

  @Test
  void a_unit_costs_two_statements_besides_its_work() {
    TestUnit recording = db.unit(Tag.class).recording().open();
    Rowlock recorded = Rowlock.of(recording.factory());
    recorded.run(work -> {});
    recording.log().clear();

    recorded.run(work -> work.entityManager().find(Tag.class, 1L).n++);

    assertThat(recording.log().statements())
        .hasSize(4)
        .satisfiesExactly(
            preamble ->
                assertThat(preamble)
                    .startsWith("set transaction isolation level READ COMMITTED; set local"),
            read -> assertThat(read).startsWith("select"),
            write -> assertThat(write).startsWith("update tag"),
            id -> assertThat(id).startsWith("select pg_current_xact_id_if_assigned()"));
    assertThat(recording.log().work()).hasSize(2);
  }

  @Test
  void the_result_is_handed_on_after_the_commit_even_if_it_is_null() throws Exception {
    Object nothing = rowlock.<Object, RuntimeException>call(work -> null);
    Tag tag =
        rowlock.call(
            work -> {
              Tag created = new Tag(3, "c");
              work.entityManager().persist(created);
              return created;
            });

    assertThat(nothing).isNull();
    assertThat(db.one("select slug from tag where id = ?", tag.id)).isEqualTo("c");
  }

  @Test
  void a_pool_that_is_in_auto_commit_mode_behind_hibernates_back_is_found_out() {
    TestUnit misled =
        db.unit(Tag.class)
            .property("hibernate.connection.provider_disables_autocommit", "true")
            .open();

    assertThatThrownBy(() -> Rowlock.of(misled.factory()).run(work -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("hibernate.connection.provider_disables_autocommit");
    assertThat(misled.pool().getMetrics().activeCount()).isZero();
  }

  @Test
  void listeners_are_told_in_order_and_their_exceptions_go_no_further() {
    List<String> told = new ArrayList<>();
    Rowlock watched =
        Rowlock.builder(unit.factory())
            .listener(
                new RowlockListener() {
                  @Override
                  public void beforeCommit(UnitInfo info) {
                    throw new IllegalStateException("a listener");
                  }
                })
            .listener(new Recorder(told))
            .build();

    watched
        .named("watched")
        .run(
            work -> {
              told.add("work");
              if (work.info().attempt() == 1) {
                Conflicts.raise(work.entityManager(), "40P01");
              }
            });

    assertThat(told)
        .containsExactly(
            "before 'watched' on attempt 1 of 50",
            "work",
            "failed DEADLOCK",
            "rerun",
            "before 'watched' on attempt 2 of 50",
            "work",
            "commit",
            "committed");
  }

  private record Recorder(List<String> told) implements RowlockListener {

    @Override
    public void beforeAttempt(UnitInfo info) {
      told.add("before " + info);
    }

    @Override
    public void beforeCommit(UnitInfo info) {
      told.add("commit");
    }

    @Override
    public void onCommitted(UnitInfo info, Duration elapsed) {
      told.add("committed");
    }

    @Override
    public void onAttemptFailed(UnitInfo info, Throwable problem, Failure failure) {
      told.add("failed " + failure.kind());
    }

    @Override
    public void beforeRerun(UnitInfo info, Duration pause) {
      told.add("rerun");
    }
  }
}
