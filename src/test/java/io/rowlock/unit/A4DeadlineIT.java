package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.LockNotAvailableException;
import io.rowlock.RetriesExhaustedException;
import io.rowlock.Rowlock;
import io.rowlock.UnitAction;
import io.rowlock.UnitOptions;
import io.rowlock.create.GetOrCreate;
import io.rowlock.lock.Locking;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Promises A4 and C4: the deadline ends every wait for a lock, whoever waits, and that is told in
 * one way.
 */
class A4DeadlineIT {

  private static final Duration DEADLINE = Duration.ofMillis(300);

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  static Rowlock rowlock;
  static Rowlock onJta;

  final AtomicInteger attempts = new AtomicInteger();
  Rival rival;

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Tag.class).open().factory());
    onJta = Rowlock.of(db.unit(Tag.class).jta().open().factory());
  }

  @BeforeEach
  void a_rival_holds_a_row_and_a_key() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a'), (2, 'b')");
    rival = db.rival();
    rival.execute("update tag set n = 1 where id = 1");
    rival.execute("insert into tag values (9, 'new')");
  }

  static Stream<Named<UnitAction<Exception>>> waits() {
    return Stream.of(
        Named.of("lock", work -> work.lock(Tag.class, List.of(1L))),
        Named.of(
            "lock that may wait longer",
            work ->
                work.lock(
                    Tag.class, List.of(1L), Locking.defaults().waitAtMost(Duration.ofHours(1)))),
        Named.of("change", work -> work.change(Tag.class, List.of(1L), tag -> tag.n++)),
        Named.of(
            "get or create", work -> work.getOrCreate(new Tag(3, "new"), GetOrCreate.by("slug"))),
        Named.of("a flush", work -> dirty(work.entityManager())),
        Named.of(
            "a lock of Hibernate's",
            work -> work.entityManager().find(Tag.class, 1L, LockModeType.PESSIMISTIC_WRITE)));
  }

  private static void dirty(EntityManager em) {
    em.find(Tag.class, 1L).n++;
    em.flush();
  }

  @ParameterizedTest
  @MethodSource("waits")
  void a_wait_for_a_lock_that_the_deadline_ends_is_told_as_that(UnitAction<Exception> wait) {
    assertEndedByDeadline(rowlock, wait);
  }

  @ParameterizedTest
  @MethodSource("waits")
  void the_same_under_JTA(UnitAction<Exception> wait) {
    assertEndedByDeadline(onJta, wait);
  }

  private void assertEndedByDeadline(UnitOptions on, UnitAction<Exception> wait) {
    RetriesExhaustedException thrown =
        catchThrowableOfType(
            RetriesExhaustedException.class,
            () ->
                on.deadline(DEADLINE)
                    .run(
                        work -> {
                          attempts.incrementAndGet();
                          wait.accept(work);
                        }));

    assertThat(thrown)
        .hasMessageContaining("its deadline of PT0.3S has passed")
        .rootCause()
        .isInstanceOf(SQLException.class)
        .extracting(cause -> ((SQLException) cause).getSQLState())
        .as("the state of lock_timeout, never that of statement_timeout")
        .isEqualTo("55P03");
    assertThat(thrown.elapsed()).isGreaterThanOrEqualTo(DEADLINE);
    assertThat(thrown).hasMessageContaining(thrown.elapsed().toMillis() + " ms after it began");
    assertThat(attempts).hasValue(1);
  }

  @Test
  void an_ordered_lock_says_how_long_it_has_waited() {
    RetriesExhaustedException thrown =
        catchThrowableOfType(
            RetriesExhaustedException.class,
            () -> rowlock.deadline(DEADLINE).run(work -> work.lock(Tag.class, List.of(2L, 1L))));

    assertThat(thrown)
        .cause()
        .isInstanceOfSatisfying(
            LockNotAvailableException.class,
            cause -> {
              assertThat(cause.waited()).isBetween(Duration.ofMillis(200), thrown.elapsed());
              assertThat(cause)
                  .hasMessageContaining("after " + cause.waited().toMillis() + " ms")
                  .hasMessageContaining("deadline");
            });
  }

  @Test
  void a_wait_that_the_call_itself_has_bounded_is_told_as_that_and_measured() {
    LockNotAvailableException thrown =
        catchThrowableOfType(
            LockNotAvailableException.class,
            () ->
                rowlock.run(
                    work ->
                        work.lock(
                            Tag.class,
                            List.of(1L),
                            Locking.defaults().waitAtMost(Duration.ofMillis(100)))));

    assertThat(thrown.waited()).isGreaterThanOrEqualTo(Duration.ofMillis(100));
    assertThat(thrown).hasMessageContaining("100 ms to be waited for each row");
  }

  @Test
  void a_lock_timeout_that_was_opted_in_is_rerun_only_until_the_deadline() {
    RetriesExhaustedException thrown =
        catchThrowableOfType(
            RetriesExhaustedException.class,
            () ->
                rowlock
                    .deadline(Duration.ofMillis(900))
                    .retrying(policy -> policy.alsoAfter(FailureKind.LOCK_NOT_AVAILABLE))
                    .run(
                        work -> {
                          attempts.incrementAndGet();
                          work.lock(
                              Tag.class,
                              List.of(1L),
                              Locking.defaults().waitAtMost(Duration.ofMillis(100)));
                        }));

    assertThat(thrown)
        .hasMessageContaining("deadline of PT0.9S")
        .hasCauseInstanceOf(LockNotAvailableException.class);
    assertThat(attempts).hasValueGreaterThan(1);
    assertThat(thrown.getSuppressed()).hasSize(attempts.get() - 1);
  }

  @Test
  void a_later_attempt_waits_no_longer_than_what_is_left() {
    RetriesExhaustedException thrown =
        catchThrowableOfType(
            RetriesExhaustedException.class,
            () ->
                rowlock
                    .deadline(Duration.ofSeconds(1))
                    .run(
                        work -> {
                          if (attempts.incrementAndGet() == 1) {
                            work.entityManager()
                                .createNativeQuery("select 1 from pg_sleep(0.5)")
                                .getResultList();
                            Conflicts.raise(work.entityManager(), "40001");
                          }
                          work.lock(Tag.class, List.of(1L));
                        }));

    assertThat(attempts).hasValue(2);
    assertThat(thrown)
        .cause()
        .isInstanceOfSatisfying(
            LockNotAvailableException.class,
            cause ->
                assertThat(cause.waited())
                    .isLessThan(thrown.elapsed().minus(Duration.ofMillis(500))));
  }
}
