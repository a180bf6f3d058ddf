package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.UnitMisuseException;
import io.rowlock.UnitOfWork;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.OptimisticLockException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.hibernate.Session;
import org.hibernate.jdbc.Work;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Promise A11: a transaction that the function ends or leaves is told in words that name it. */
class A11TransactionsIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  static TestUnit unit;
  static Rowlock rowlock;

  final AtomicInteger attempts = new AtomicInteger();

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class).poolSize(2).open();
    rowlock = Rowlock.of(unit.factory());
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a', 10)");
  }

  static Stream<Named<Work>> endings() {
    return Stream.of(
        Named.of("commit at the connection", Connection::commit),
        Named.of("rollback at the connection", Connection::rollback),
        Named.of("the statement commit", connection -> execute(connection, "commit")),
        Named.of("the statement end", connection -> execute(connection, "end")),
        Named.of("the statement rollback", connection -> execute(connection, "rollback")),
        Named.of("commit and chain", connection -> execute(connection, "commit and chain")),
        Named.of("commit and begin", connection -> execute(connection, "commit; begin")));
  }

  /** The driver begins a new transaction then, so that all looks well. */
  @ParameterizedTest
  @MethodSource("endings")
  void a_transaction_that_is_ended_by_plain_JDBC_and_followed_by_statements_is_told(Work ending) {
    assertThatThrownBy(
            () ->
                rowlock
                    .named("careless")
                    .run(
                        work -> {
                          attempts.incrementAndGet();
                          jdbc(work, ending);
                          work.entityManager().find(Tag.class, 1L).n++;
                          work.entityManager().flush();
                        }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("'careless' on attempt 1")
        .hasMessageContaining("ended its transaction at the connection or by a statement");
    assertThat(attempts).hasValue(1);
  }

  @Test
  void what_follows_such_a_commit_is_rolled_back() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().persist(new Tag(2, "before"));
                      work.entityManager().flush();
                      jdbc(work, Connection::commit);
                      work.entityManager().persist(new Tag(3, "after"));
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("what came before it is stored");
    assertThat(db.column("select id from tag order by id")).containsExactly(1L, 2L);
  }

  /** It would store twice what it has committed. */
  @Test
  void a_unit_that_has_committed_by_plain_JDBC_is_not_run_again() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock
                    .retrying(policy -> policy.alsoAfter(FailureKind.OPTIMISTIC_LOCK))
                    .run(
                        work -> {
                          attempts.incrementAndGet();
                          jdbc(work, c -> execute(c, "update tag set n = n + 1"));
                          jdbc(work, Connection::commit);
                          jdbc(work, c -> execute(c, "select 1"));
                          throw new OptimisticLockException("to be run again after");
                        }))
        .isInstanceOf(UnitMisuseException.class)
        .hasCauseInstanceOf(OptimisticLockException.class);
    assertThat(attempts).hasValue(1);
    assertThat(db.number("select n from tag")).isEqualTo(11);
  }

  /** A failure of the transaction that the driver has begun meanwhile would ask for a rerun. */
  @Test
  void after_such_a_commit_the_next_statement_is_not_even_sent() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      attempts.incrementAndGet();
                      jdbc(work, c -> execute(c, "update tag set n = n + 1"));
                      jdbc(work, Connection::commit);
                      Conflicts.raise(work.entityManager(), "40001");
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("ended its transaction at the connection or by a statement")
        .cause()
        .hasMessageContaining("nothing more is sent");
    assertThat(attempts).hasValue(1);
    assertThat(db.number("select n from tag")).isEqualTo(11);
  }

  @Test
  void savepoints_and_failures_within_them_are_no_end_of_the_transaction() throws Exception {
    rowlock.run(
        work ->
            jdbc(
                work,
                connection -> {
                  Savepoint savepoint = connection.setSavepoint();
                  assertThatThrownBy(() -> execute(connection, "select 1 / 0"))
                      .isInstanceOf(SQLException.class);
                  connection.rollback(savepoint);
                  execute(connection, "update tag set n = n + 1");
                }));
    assertThat(db.number("select n from tag")).isEqualTo(11);
  }

  @Test
  void a_statement_that_begins_changes_nothing() throws Exception {
    rowlock.run(
        work -> {
          jdbc(work, connection -> execute(connection, "begin"));
          work.entityManager().find(Tag.class, 1L).n++;
        });
    assertThat(db.number("select n from tag")).isEqualTo(11);
  }

  @Test
  void a_begin_is_refused_where_it_is_called() {
    assertThatThrownBy(() -> rowlock.run(work -> work.entityManager().getTransaction().begin()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("already active");
  }

  @Test
  void transactions_that_are_read_only_by_default_are_marked_too() {
    TestUnit readOnly =
        db.unit(Tag.class).urlParameter("options", "-c%20default_transaction_read_only=on").open();
    Rowlock reading = Rowlock.of(readOnly.factory());

    assertThatCode(() -> reading.run(work -> work.entityManager().find(Tag.class, 1L)))
        .doesNotThrowAnyException();
    assertThatThrownBy(
            () ->
                reading.run(
                    work -> {
                      jdbc(work, Connection::commit);
                      work.entityManager().find(Tag.class, 1L);
                    }))
        .isInstanceOf(UnitMisuseException.class);
  }

  @Test
  void the_mark_of_a_transaction_ends_with_it_and_does_not_make_it_read_only() throws Exception {
    rowlock.run(
        work -> {
          assertThat(
                  work.entityManager()
                      .createNativeQuery("select current_setting('transaction_read_only')")
                      .getSingleResult())
              .isEqualTo("off");
          work.entityManager().find(Tag.class, 1L).n++;
        });
    try (Connection connection = unit.pool().getConnection();
        Statement statement = connection.createStatement();
        var row = statement.executeQuery("show default_transaction_read_only")) {
      row.next();
      assertThat(row.getString(1)).isEqualTo("off");
    }
  }

  @Test
  void after_a_rollback_by_the_function_no_statement_is_stored_by_itself() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().getTransaction().rollback();
                      jdbc(work, connection -> execute(connection, "update tag set n = 0"));
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("rolled its transaction back itself");
    assertThat(db.number("select n from tag")).isEqualTo(10);
  }

  @Test
  void after_a_rollback_that_was_swallowed_no_statement_is_stored_by_itself() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      work.entityManager().getTransaction().rollback();
                      assertThatThrownBy(() -> jdbc(work, c -> execute(c, "update tag set n = 0")))
                          .isInstanceOf(RuntimeException.class);
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("rolled its transaction back itself");
    assertThat(db.number("select n from tag")).isEqualTo(10);
  }

  @Test
  void an_answer_that_is_not_done_is_refused() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.call(
                    work -> {
                      work.entityManager().find(Tag.class, 1L).n++;
                      return new CompletableFuture<String>();
                    }))
        .isInstanceOf(UnitMisuseException.class)
        .hasMessageContaining("CompletableFuture, which is not done");
    assertThat(db.number("select n from tag")).isEqualTo(10);
  }

  @Test
  void an_answer_that_is_not_done_is_refused_in_a_joined_unit_too() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    outer -> {
                      outer.entityManager().find(Tag.class, 1L).n++;
                      rowlock.call(joined -> new CompletableFuture<String>());
                    }))
        .isInstanceOf(UnitMisuseException.class);
    assertThat(db.number("select n from tag")).isEqualTo(10);
  }

  @Test
  void an_answer_that_is_done_may_be_a_future() {
    assertThat(rowlock.call(work -> CompletableFuture.completedFuture("done")).join())
        .isEqualTo("done");
  }

  private static void jdbc(UnitOfWork work, Work jdbc) {
    work.entityManager().unwrap(Session.class).doWork(jdbc);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
