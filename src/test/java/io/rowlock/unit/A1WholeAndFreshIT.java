package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
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
}
