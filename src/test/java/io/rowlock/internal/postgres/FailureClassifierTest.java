package io.rowlock.internal.postgres;

import static io.rowlock.retry.FailureKind.CONNECTION_LOST;
import static io.rowlock.retry.FailureKind.DEADLOCK;
import static io.rowlock.retry.FailureKind.LOCK_NOT_AVAILABLE;
import static io.rowlock.retry.FailureKind.OPTIMISTIC_LOCK;
import static io.rowlock.retry.FailureKind.OTHER;
import static io.rowlock.retry.FailureKind.QUERY_CANCELED;
import static io.rowlock.retry.FailureKind.SERIALIZATION_FAILURE;
import static io.rowlock.retry.FailureKind.UNIQUE_VIOLATION;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.CommitOutcomeUnknownException;
import io.rowlock.RetriesExhaustedException;
import io.rowlock.SwallowedFailureException;
import io.rowlock.UnitInfo;
import io.rowlock.UnitInterruptedException;
import io.rowlock.UnitMisuseException;
import io.rowlock.retry.Failure;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.RollbackException;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.transaction.xa.XAException;
import org.hibernate.StaleObjectStateException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Promise A3: a failure is told by its SQLSTATE, wherever in the chain that is. */
class FailureClassifierTest {

  private static final UnitInfo UNIT = new UnitInfo("unit", 1, 3);

  @ParameterizedTest
  @CsvSource({
    "40001, SERIALIZATION_FAILURE",
    "40P01, DEADLOCK",
    "55P03, LOCK_NOT_AVAILABLE",
    "23505, UNIQUE_VIOLATION",
    "57014, QUERY_CANCELED",
    "08000, CONNECTION_LOST",
    "08003, CONNECTION_LOST",
    "08006, CONNECTION_LOST",
    "08007, CONNECTION_LOST",
    "57P01, CONNECTION_LOST",
    "57P02, CONNECTION_LOST",
    "57P03, CONNECTION_LOST",
    "57P05, CONNECTION_LOST",
    "25P03, CONNECTION_LOST",
    "25P04, CONNECTION_LOST",
    "57P04, OTHER",
    "23503, OTHER",
    "25P02, OTHER",
    "40002, OTHER",
    "21000, OTHER"
  })
  void each_sqlstate_has_one_meaning(String state, String kind) {
    Failure failure = classify(new PersistenceException(sql(state)));

    assertThat(failure.kind()).hasToString(kind);
    assertThat(failure.sqlState()).isEqualTo(state);
  }

  @Test
  void an_aborted_transaction_is_what_aborted_it() {
    assertThat(classify(caused(sql("25P02"), sql("40P01"))).kind()).isEqualTo(DEADLOCK);
  }

  @Test
  void a_transaction_that_was_aborted_by_a_unique_violation_is_a_unique_violation() {
    Failure failure = classify(caused(sql("25P02"), sql("23505")));

    assertThat(failure.kind()).isEqualTo(UNIQUE_VIOLATION);
    assertThat(failure.sqlState()).isEqualTo("23505");
  }

  @Test
  void a_batch_without_a_code_is_what_its_next_exception_says() {
    BatchUpdateException batch = new BatchUpdateException();
    batch.setNextException(sql("40001"));

    assertThat(classify(new PersistenceException(batch)).kind()).isEqualTo(SERIALIZATION_FAILURE);
  }

  @Test
  void a_cycle_of_causes_and_of_next_exceptions_ends() {
    SQLException first = sql("22001");
    SQLException second = sql("22002");
    first.initCause(second);
    second.initCause(first);
    first.setNextException(second);
    first.addSuppressed(second);

    assertThat(classify(first)).isEqualTo(new Failure(OTHER, "22001", null));
  }

  @Test
  void a_deadlock_in_a_suppressed_exception_counts() {
    RollbackException rollback = new RollbackException("from a transaction manager, without cause");
    rollback.addSuppressed(caused(new XAException(XAException.XA_RBROLLBACK), sql("40P01")));

    assertThat(classify(rollback).kind()).isEqualTo(DEADLOCK);
  }

  @Test
  void wrappers_of_any_class_are_looked_through() {
    Exception wrapped =
        new UndeclaredThrowableException(
            new IllegalStateException(new RuntimeException(new Exception(sql("40001")))));

    assertThat(classify(wrapped).kind()).isEqualTo(SERIALIZATION_FAILURE);
  }

  @Test
  void an_sql_exception_without_a_code_means_nothing() {
    assertThat(classify(new PersistenceException(sql(null))))
        .isEqualTo(new Failure(OTHER, null, null));
  }

  @Test
  void a_failure_without_the_database_means_nothing() {
    assertThat(classify(new IllegalStateException())).isEqualTo(new Failure(OTHER, null, null));
  }

  @Test
  void a_very_long_chain_does_not_overflow_the_stack() {
    Throwable chain = sql("40001");
    for (int i = 0; i < 100_000; i++) {
      chain = new Exception("", chain);
    }

    assertThat(classify(chain).kind()).isEqualTo(SERIALIZATION_FAILURE);
  }

  @Test
  void an_abort_outranks_what_stands_around_it() {
    assertThat(classify(caused(sql("23505"), sql("40001"))).kind())
        .isEqualTo(SERIALIZATION_FAILURE);
    assertThat(classify(caused(new OptimisticLockException(), sql("40P01"))).kind())
        .isEqualTo(DEADLOCK);
  }

  @Test
  void a_lost_connection_outranks_an_abort_that_is_only_suppressed() {
    SQLException lost = sql("08006");
    lost.addSuppressed(sql("40001"));

    assertThat(classify(lost).kind()).isEqualTo(CONNECTION_LOST);
  }

  @Test
  void an_abort_outranks_a_connection_that_was_lost_while_rolling_back() {
    SQLException aborted = sql("40001");
    aborted.addSuppressed(sql("08003"));

    assertThat(classify(aborted).kind()).isEqualTo(SERIALIZATION_FAILURE);
  }

  @Test
  void without_an_abort_the_first_code_that_means_something_decides() {
    assertThat(classify(caused(sql("55P03"), sql("23505"))).kind()).isEqualTo(LOCK_NOT_AVAILABLE);
    assertThat(classify(caused(sql("XX000"), sql("57014"))).kind()).isEqualTo(QUERY_CANCELED);
  }

  @Test
  void optimistic_locks_are_told_by_class_for_want_of_a_code() {
    assertThat(classify(new RollbackException(new OptimisticLockException())).kind())
        .isEqualTo(OPTIMISTIC_LOCK);
    assertThat(classify(new StaleObjectStateException("Article", 7L)).kind())
        .isEqualTo(OPTIMISTIC_LOCK);
  }

  @Test
  void an_error_of_the_virtual_machine_is_never_run_again() {
    assertThat(classify(caused(new OutOfMemoryError(), sql("40001"))).kind()).isEqualTo(OTHER);
    assertThat(classify(caused(new AssertionError(), sql("40001"))).kind())
        .isEqualTo(SERIALIZATION_FAILURE);
  }

  @Test
  void what_another_unit_has_answered_for_good_is_not_looked_into() {
    SQLException deadlock = sql("40P01");
    List.of(
            new RetriesExhaustedException("inner", 1, Duration.ZERO, "bound", deadlock, List.of()),
            new CommitOutcomeUnknownException(UNIT, "7", "nobody knows", deadlock),
            new UnitInterruptedException(UNIT, deadlock, List.of()),
            new UnitMisuseException("misuse", deadlock))
        .forEach(
            terminal ->
                assertThat(classify(new RuntimeException(terminal)).kind()).isEqualTo(OTHER));
  }

  @Test
  void a_swallowed_failure_is_what_was_swallowed() {
    assertThat(
            classify(new SwallowedFailureException(UNIT, "it was swallowed", sql("40P01"))).kind())
        .isEqualTo(DEADLOCK);
  }

  @Test
  void the_constraint_is_the_one_that_the_server_names_and_never_read_from_the_text() {
    PSQLException violation =
        new PSQLException(
            new ServerErrorMessage("SERROR\0C23505\0Mdoppelter Schl\u00fcssel\0nslug_key\0"));

    assertThat(classify(new PersistenceException(violation)))
        .isEqualTo(new Failure(UNIQUE_VIOLATION, "23505", "slug_key"));
    assertThat(classify(new SQLException("violates unique constraint \"slug_key\"", "23505")))
        .isEqualTo(new Failure(UNIQUE_VIOLATION, "23505", null));
  }

  private static Failure classify(Throwable problem) {
    return FailureClassifier.classify(problem);
  }

  private static SQLException sql(String state) {
    return new SQLException("state " + state, state);
  }

  private static <T extends Throwable> T caused(T failure, Throwable cause) {
    failure.initCause(cause);
    return failure;
  }
}
