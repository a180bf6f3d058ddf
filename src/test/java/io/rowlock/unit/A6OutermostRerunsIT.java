package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.IsolationLevel;
import io.rowlock.RetriesExhaustedException;
import io.rowlock.Rowlock;
import io.rowlock.SwallowedFailureException;
import io.rowlock.UnitOfWork;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Promise A6: a unit inside a running one joins it; only the outermost is run again, as a whole.
 */
class A6OutermostRerunsIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  static TestUnit unit;
  static Rowlock rowlock;

  final AtomicInteger outer = new AtomicInteger();
  final AtomicInteger inner = new AtomicInteger();

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class).open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void three_rows() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a'), (2, 'b'), (3, 'c')");
  }

  @Test
  void a_joined_unit_has_the_same_transaction_and_persistence_context() {
    rowlock
        .named("outer")
        .run(
            work -> {
              Tag managed = work.entityManager().find(Tag.class, 1L);
              Rowlock.of(unit.factory())
                  .named("inner")
                  .run(
                      joined -> {
                        assertThat(joined.entityManager()).isSameAs(work.entityManager());
                        assertThat(joined.entityManager().find(Tag.class, 1L)).isSameAs(managed);
                        assertThat(joined.info()).isEqualTo(work.info());
                      });
            });
  }

  @Test
  void a_deadlock_of_the_joined_unit_runs_the_outer_one_again_as_a_whole() throws Exception {
    rowlock.run(
        work -> {
          outer.incrementAndGet();
          raise(work, 3);
          rowlock.run(
              joined -> {
                if (inner.incrementAndGet() == 1) {
                  Conflicts.deadlock(db, joined.entityManager());
                }
                raise(joined, 1);
              });
        });

    assertThat(outer).hasValue(2);
    assertThat(inner).hasValue(2);
    assertThat(db.column("select n from tag order by id")).containsExactly(101, 100, 1);
  }

  @Test
  void a_retryable_failure_of_a_joined_unit_that_the_outer_one_swallows_runs_all_again()
      throws Exception {
    rowlock.run(
        work -> {
          outer.incrementAndGet();
          raise(work, 3);
          try {
            rowlock.run(
                joined -> {
                  if (inner.incrementAndGet() == 1) {
                    Conflicts.raise(joined.entityManager(), "40001");
                  }
                });
          } catch (RuntimeException e) {
            // believes it can go on
          }
        });

    assertThat(outer).hasValue(2);
    assertThat(db.number("select n from tag where id = 3")).isEqualTo(1);
  }

  @Test
  void any_failure_of_a_joined_unit_fails_the_outer_one_even_if_that_swallows_it()
      throws Exception {
    Exception business = new Exception("no such account");

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      outer.incrementAndGet();
                      raise(work, 3);
                      try {
                        rowlock.run(
                            joined -> {
                              throw business;
                            });
                      } catch (Exception e) {
                        assertThat(e).isSameAs(business);
                      }
                    }))
        .isInstanceOf(SwallowedFailureException.class)
        .hasMessageContaining("a unit that had joined it failed")
        .hasCause(business);

    assertThat(outer).hasValue(1);
    assertThat(db.number("select n from tag where id = 3")).isZero();
  }

  @Test
  void a_failure_that_leaves_through_both_units_leaves_as_it_was_thrown() {
    Exception business = new Exception("no such account");

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      rowlock.run(
                          joined -> {
                            throw business;
                          });
                    }))
        .isSameAs(business)
        .hasNoSuppressedExceptions();
  }

  @Test
  void a_savepoint_around_the_joined_unit_does_not_make_it_run_again_on_its_own() throws Exception {
    rowlock
        .isolation(IsolationLevel.REPEATABLE_READ)
        .run(
            work -> {
              EntityManager em = work.entityManager();
              outer.incrementAndGet();
              em.find(Tag.class, 1L);
              if (outer.get() == 1) {
                db.execute("update tag set n = 100 where id = 1");
              }
              em.unwrap(org.hibernate.Session.class)
                  .doWork(
                      connection -> {
                        var savepoint = connection.setSavepoint();
                        try {
                          rowlock.run(
                              joined -> {
                                inner.incrementAndGet();
                                raise(joined, 1);
                              });
                        } catch (RuntimeException e) {
                          connection.rollback(savepoint);
                        }
                      });
            });

    assertThat(outer).hasValue(2);
    assertThat(inner).hasValue(2);
    assertThat(db.number("select n from tag where id = 1")).isEqualTo(101);
  }

  @Test
  void the_retry_options_of_a_joined_unit_have_no_effect() throws Exception {
    rowlock.run(
        work -> {
          outer.incrementAndGet();
          rowlock
              .maxAttempts(1)
              .run(
                  joined -> {
                    if (inner.incrementAndGet() == 1) {
                      Conflicts.raise(joined.entityManager(), "40001");
                    }
                  });
        });

    assertThat(outer).hasValue(2);
  }

  @Test
  void a_joined_unit_takes_no_second_connection() {
    TestUnit small = db.unit(Tag.class).poolSize(4).open();
    Rowlock onFour = Rowlock.of(small.factory());
    CyclicBarrier allInside = new CyclicBarrier(4);

    Together.run(
        4,
        number -> {
          onFour.run(
              work -> {
                allInside.await();
                onFour.run(joined -> joined.lock(Tag.class, List.of(1L, 2L)));
              });
          return null;
        });
  }

  @Test
  void a_unit_of_another_factory_is_a_unit_of_its_own() throws Exception {
    Rowlock other = Rowlock.of(db.unit(Tag.class).open().factory());

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      raise(work, 1);
                      other.run(
                          independent -> {
                            assertThat(independent.entityManager())
                                .isNotSameAs(work.entityManager());
                            raise(independent, 2);
                          });
                      throw new Exception("only the outer one");
                    }))
        .hasMessage("only the outer one");

    assertThat(db.column("select n from tag order by id")).containsExactly(0, 1, 0);
  }

  @Test
  void what_an_inner_unit_of_another_factory_has_given_up_for_good_is_not_run_again() {
    Rowlock other = Rowlock.of(db.unit(Tag.class).open().factory());

    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      outer.incrementAndGet();
                      other
                          .maxAttempts(2)
                          .run(
                              independent -> Conflicts.raise(independent.entityManager(), "40001"));
                    }))
        .isInstanceOf(RetriesExhaustedException.class)
        .hasMessageContaining("in 2 attempts");
    assertThat(outer).hasValue(1);
  }

  @Test
  void a_unit_on_another_thread_is_a_unit_of_its_own() throws Exception {
    rowlock.run(
        work -> {
          raise(work, 1);
          Together.get(
              Together.start(
                  () -> {
                    rowlock.run(elsewhere -> raise(elsewhere, 2));
                    return null;
                  }));
        });

    assertThat(db.column("select n from tag order by id")).containsExactly(1, 1, 0);
  }

  @Test
  void after_a_unit_that_threw_the_next_one_on_the_thread_is_outermost_again() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      throw new Exception("first");
                    }))
        .hasMessage("first");

    rowlock.run(work -> raise(work, 1));

    assertThat(db.number("select n from tag where id = 1")).isEqualTo(1);
  }

  private static void raise(UnitOfWork work, long id) {
    work.entityManager()
        .createNativeQuery("update tag set n = n + 1 where id = ?")
        .setParameter(1, id)
        .executeUpdate();
  }
}
