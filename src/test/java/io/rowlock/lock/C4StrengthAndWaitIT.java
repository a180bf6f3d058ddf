package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.LockNotAvailableException;
import io.rowlock.internal.hibernate.RowLocks;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PersistenceException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C4: strength and waiting. */
class C4StrengthAndWaitIT {

  private static final String CHILD =
      "create table child (id bigserial primary key, pid bigint references tag)";

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE, CHILD);

  static TestUnit unit;
  static final RowLocks locks = new RowLocks();

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class).recording().open();
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "truncate tag, child", "insert into tag (id, slug) values (1, 'a'), (2, 'b'), (3, 'c')");
  }

  @Test
  void each_strength_conflicts_with_what_postgresql_says_it_conflicts_with() throws Exception {
    Map<LockStrength, Set<LockStrength>> conflicts = new EnumMap<>(LockStrength.class);
    for (LockStrength held : LockStrength.values()) {
      Set<LockStrength> refused = EnumSet.noneOf(LockStrength.class);
      Transaction.run(
          unit,
          em -> {
            locks.lock(em, Tag.class, List.of(1L), Locking.with(held));
            for (LockStrength wanted : LockStrength.values()) {
              if (refused(wanted)) {
                refused.add(wanted);
              }
            }
          });
      conflicts.put(held, refused);
    }

    assertThat(conflicts)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                LockStrength.KEY_SHARE, EnumSet.of(LockStrength.UPDATE),
                LockStrength.SHARE, EnumSet.of(LockStrength.NO_KEY_UPDATE, LockStrength.UPDATE),
                LockStrength.NO_KEY_UPDATE,
                    EnumSet.complementOf(EnumSet.of(LockStrength.KEY_SHARE)),
                LockStrength.UPDATE, EnumSet.allOf(LockStrength.class)));
  }

  private static boolean refused(LockStrength wanted) throws Exception {
    try {
      Transaction.run(
          unit, em -> locks.lock(em, Tag.class, List.of(1L), Locking.with(wanted).noWait()));
      return false;
    } catch (LockNotAvailableException e) {
      return true;
    }
  }

  @Test
  void hibernate_is_told_no_more_than_what_is_held() throws Exception {
    Map<LockStrength, LockModeType> told =
        Map.of(
            LockStrength.KEY_SHARE, LockModeType.NONE,
            LockStrength.SHARE, LockModeType.PESSIMISTIC_READ,
            LockStrength.NO_KEY_UPDATE, LockModeType.PESSIMISTIC_WRITE,
            LockStrength.UPDATE, LockModeType.PESSIMISTIC_WRITE);
    for (LockStrength strength : LockStrength.values()) {
      Transaction.run(
          unit,
          em -> {
            Tag tag = lock(em, Locking.with(strength));
            assertThat(em.getLockMode(tag)).as(strength.name()).isEqualTo(told.get(strength));
            lock(em, Locking.with(LockStrength.UPDATE));
            lock(em, Locking.with(LockStrength.KEY_SHARE));
            assertThat(em.getLockMode(tag)).isEqualTo(LockModeType.PESSIMISTIC_WRITE);
          });
    }
  }

  @Test
  void the_default_lets_children_be_inserted_and_update_does_not() throws Exception {
    Transaction.run(
        unit,
        em -> {
          lock(em, Locking.defaults());
          db.execute("insert into child (pid) values (1)");
        });

    Rival rival = db.rival();
    Future<Integer> insert =
        Transaction.call(
            unit,
            em -> {
              lock(em, Locking.with(LockStrength.UPDATE));
              Future<Integer> waiting = rival.executeAsync("insert into child (pid) values (1)");
              db.awaitBlocked(rival.pid());
              return waiting;
            });
    assertThat(Together.get(insert)).isEqualTo(1);
  }

  @Test
  void two_units_that_insert_a_child_and_then_lock_the_parent_take_turns() throws Exception {
    long deadlocks = db.deadlocks();
    Rival other = db.rival();
    other.execute("insert into child (pid) values (1)");

    Transaction.run(
        unit,
        em -> {
          em.createNativeQuery("insert into child (pid) values (1)").executeUpdate();
          lock(em, Locking.defaults());
        });

    other.execute("select id from tag where id = 1 for no key update");
    other.commit();
    assertThat(db.deadlocks()).isEqualTo(deadlocks);
  }

  @Test
  void a_held_row_fails_at_once_when_the_call_is_not_to_wait() throws Exception {
    Rival holder = db.rival();
    holder.execute("select id from tag where id = 2 for update");

    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          LockNotAvailableException failure = refused(em, Locking.defaults().noWait());

          assertThat(failure.entity()).isEqualTo(Tag.class.getName());
          assertThat(failure)
              .hasMessageContaining(Tag.class.getName())
              .hasMessageContaining("3, 2, 1")
              .hasMessageContaining("NO_KEY_UPDATE")
              .hasMessageContaining("not to wait")
              .hasMessageContaining("55P03")
              .hasRootCauseInstanceOf(SQLException.class)
              .cause()
              .isInstanceOf(PersistenceException.class);
          assertThat(unit.log().work())
              .singleElement()
              .asString()
              .endsWith("for no key update of e nowait) x");
          assertThat(em.getTransaction().getRollbackOnly()).isTrue();
        });
  }

  @Test
  void a_held_row_fails_after_the_time_asked_for() throws Exception {
    Rival holder = db.rival();
    holder.execute("select id from tag where id = 2 for update");

    Transaction.run(
        unit,
        em -> {
          long start = System.nanoTime();
          LockNotAvailableException failure =
              refused(em, Locking.defaults().waitAtMost(Duration.ofMillis(300)));
          Duration waited = Duration.ofNanos(System.nanoTime() - start);

          assertThat(waited).isBetween(Duration.ofMillis(300), Duration.ofSeconds(5));
          assertThat(failure).hasMessageContaining("300 ms").hasMessageContaining("55P03");
          assertThat(em.getTransaction().getRollbackOnly()).isTrue();
        });
  }

  @Test
  void a_row_let_go_in_time_is_locked_and_the_timeout_is_what_it_was() throws Exception {
    Rival holder = db.rival();
    holder.execute("select id from tag where id = 2 for update");
    Future<String> batch =
        Together.start(
            () ->
                Transaction.call(
                    unit,
                    em -> {
                      em.createNativeQuery("set local lock_timeout = '1h'").executeUpdate();
                      lockAll(em, Locking.defaults().waitAtMost(Duration.ofMinutes(1)));
                      return lockTimeout(em);
                    }));
    db.awaitBlockedBy(holder.pid());
    holder.commit();

    assertThat(Together.get(batch)).isEqualTo("1h");
    Transaction.run(unit, em -> assertThat(lockTimeout(em)).isEqualTo("0"));
  }

  @Test
  void a_lower_bound_that_is_set_already_stays() throws Exception {
    Rival holder = db.rival();
    holder.execute("select id from tag where id = 2 for update");

    Transaction.run(
        unit,
        em -> {
          em.createNativeQuery("set local lock_timeout = '100ms'").executeUpdate();
          long start = System.nanoTime();
          refused(em, Locking.defaults().waitAtMost(Duration.ofMinutes(1)));
          assertThat(Duration.ofNanos(System.nanoTime() - start))
              .isLessThan(Duration.ofSeconds(30));
        });
  }

  @Test
  void a_bound_costs_two_short_statements() throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          lockAll(em, Locking.defaults().waitAtMost(Duration.ofSeconds(1)));
          assertThat(unit.log().work()).hasSize(3);
          assertThat(lockTimeout(em)).isEqualTo("0");
        });
  }

  @Test
  void a_timeout_of_the_statement_leaves_as_it_is() throws Exception {
    Rival holder = db.rival();
    holder.execute("select id from tag where id = 2 for update");

    Transaction.run(
        unit,
        em -> {
          em.createNativeQuery("set local statement_timeout = '100ms'").executeUpdate();
          assertThatThrownBy(() -> lockAll(em, Locking.defaults()))
              .isInstanceOf(PersistenceException.class)
              .isNotInstanceOf(LockNotAvailableException.class)
              .rootCause()
              .extracting(e -> ((SQLException) e).getSQLState())
              .isEqualTo("57014");
          em.getTransaction().setRollbackOnly();
        });
  }

  @Test
  void a_row_changed_since_the_snapshot_is_a_serialization_failure() throws Exception {
    for (String level : List.of("repeatable read", "serializable")) {
      Transaction.run(
          unit,
          em -> {
            em.createNativeQuery("set transaction isolation level " + level).executeUpdate();
            em.find(Tag.class, 1L);
            db.execute("update tag set n = n + 1 where id = 1");
            assertThatThrownBy(() -> lockAll(em, Locking.defaults()))
                .rootCause()
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("40001");
            em.getTransaction().setRollbackOnly();
          });
    }
  }

  @Test
  void a_read_only_transaction_is_told_so() throws Exception {
    Transaction.run(
        unit,
        em -> {
          em.createNativeQuery("set transaction read only").executeUpdate();
          assertThatThrownBy(() -> lockAll(em, Locking.defaults()))
              .rootCause()
              .extracting(e -> ((SQLException) e).getSQLState())
              .isEqualTo("25006");
          em.getTransaction().setRollbackOnly();
        });
  }

  private static Tag lock(EntityManager em, Locking how) throws Exception {
    return locks.lock(em, Tag.class, List.of(1L), how).get(1L);
  }

  private static void lockAll(EntityManager em, Locking how) throws Exception {
    locks.lock(em, Tag.class, List.of(3L, 2L, 1L), how);
  }

  private static LockNotAvailableException refused(EntityManager em, Locking how) throws Exception {
    return catchThrowableOfType(LockNotAvailableException.class, () -> lockAll(em, how));
  }

  private static String lockTimeout(EntityManager em) throws Exception {
    return (String)
        em.createNativeQuery("select current_setting('lock_timeout')", String.class)
            .getSingleResult();
  }
}
