package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.CommitOutcome;
import io.rowlock.CommitOutcomeUnknownException;
import io.rowlock.CommitTracking;
import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.RowlockListener;
import io.rowlock.UnitInfo;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.retry.FailureKind;
import io.rowlock.testing.Await;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TcpProxy;
import io.rowlock.testing.TcpProxy.Fault;
import io.rowlock.testing.TcpProxy.Planned;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promise A7: a connection lost at COMMIT is neither success nor rollback. PostgreSQL is asked;
 * committed is answered by the result, rolled back by another attempt, everything else by an error
 * of its own; nothing that may have been committed is run again.
 */
class A7OutcomeIsKnownIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Tag.TABLE,
          "create table lock_it (id int)",
          "insert into lock_it values (1)",
          "create table hangs (id bigint)",
          "create function hang() returns trigger language plpgsql as"
              + " 'begin perform from lock_it for update; return null; end'",
          "create constraint trigger hang after insert on hangs deferrable initially deferred"
              + " for each row execute function hang()",
          "create table done (id bigint primary key)");

  static final TcpProxy proxy = TcpProxy.open();
  static TestUnit local;
  static TestUnit global;

  final AtomicInteger attempts = new AtomicInteger();
  final Events events = new Events();

  enum Transactions {
    LOCAL,
    JTA
  }

  @BeforeAll
  static void open() {
    local = db.unit(Tag.class).through(proxy).poolSize(5).recording().open();
    global = db.unit(Tag.class).jta().through(proxy).poolSize(5).open();
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute("truncate tag, hangs, done", "insert into tag values (1, 'a')");
  }

  @AfterEach
  void calm() {
    proxy.calm();
    proxy.admit();
  }

  @AfterAll
  static void close() {
    proxy.close();
  }

  private Rowlock rowlock(Transactions transactions) {
    return Rowlock.builder((transactions == Transactions.JTA ? global : local).factory())
        .listener(events)
        .build();
  }

  private int raise(Rowlock rowlock) {
    return rowlock.call(work -> raise(work.entityManager()));
  }

  private int raise(EntityManager em) {
    attempts.incrementAndGet();
    return ++em.find(Tag.class, 1L).n;
  }

  /** Its COMMIT waits for whoever holds the lock. */
  private int raiseHanging(EntityManager em) {
    em.createNativeQuery("insert into hangs values (1)").executeUpdate();
    return raise(em);
  }

  private static long n() throws SQLException {
    return db.number("select n from tag where id = 1");
  }

  @ParameterizedTest
  @EnumSource
  void a_commit_that_was_delivered_is_answered_by_its_result(Transactions transactions)
      throws Exception {
    Planned cut = proxy.atCommit(Fault.CUT_ANSWERED);

    assertThat(raise(rowlock(transactions))).isEqualTo(1);

    assertThat(cut.happened()).isTrue();
    assertThat(attempts).hasValue(1);
    assertThat(n()).isEqualTo(1);
    assertThat(events.log())
        .containsExactly("attempt 1", "commit 1", "unanswered 1", "COMMITTED 1", "committed 1");
  }

  @ParameterizedTest
  @EnumSource
  void a_commit_that_was_not_delivered_is_run_again_once(Transactions transactions)
      throws Exception {
    proxy.atCommit(Fault.CUT_BEFORE);

    assertThat(raise(rowlock(transactions))).isEqualTo(1);

    assertThat(attempts).hasValue(2);
    assertThat(n()).isEqualTo(1);
    assertThat(events.log())
        .startsWith("attempt 1", "commit 1", "unanswered 1", "ROLLED_BACK 1")
        .endsWith("rerun 1", "attempt 2", "commit 2", "committed 2");
  }

  @ParameterizedTest
  @EnumSource
  void a_transaction_that_the_server_still_holds_open_is_waited_for(Transactions transactions)
      throws Exception {
    Planned lost = proxy.atCommit(Fault.LOSE_BEFORE);
    Rowlock rowlock = rowlock(transactions);

    Future<Integer> result = Together.start(() -> raise(rowlock));
    Await.until("the outcome is asked for", () -> events.log().contains("unanswered 1"));
    awaitAsked();
    assertThat(attempts).hasValue(1);
    assertThat(result.isDone()).isFalse();
    lost.release();

    assertThat(Together.get(result)).isEqualTo(1);
    assertThat(attempts).hasValue(2);
    assertThat(n()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void a_commit_that_the_server_is_still_at_is_waited_for(Transactions transactions)
      throws Exception {
    Rival rival = db.rival();
    rival.execute("select from lock_it for update");
    proxy.atCommit(Fault.CUT_DELIVERED);
    Rowlock rowlock = rowlock(transactions);

    Future<Integer> result =
        Together.start(() -> rowlock.call(work -> raiseHanging(work.entityManager())));
    db.awaitBlockedBy(rival.pid());
    awaitAsked();
    assertThat(result.isDone()).isFalse();
    rival.commit();

    assertThat(Together.get(result)).isEqualTo(1);
    assertThat(attempts).hasValue(1);
    assertThat(n()).isEqualTo(1);
    assertThat(db.number("select count(*) from hangs")).isEqualTo(1);
  }

  @Test
  void a_thread_that_was_interrupted_at_its_commit_still_learns_the_outcome() throws Exception {
    Rival rival = db.rival();
    rival.execute("select from lock_it for update");
    proxy.atCommit(Fault.CUT_DELIVERED);
    Rowlock rowlock =
        Rowlock.builder(local.factory())
            .listener(
                new RowlockListener() {
                  @Override
                  public void beforeCommit(UnitInfo unit) {
                    Thread.currentThread().interrupt();
                  }
                })
            .build();
    AtomicBoolean interrupted = new AtomicBoolean();

    Future<Integer> result =
        Together.start(
            () -> {
              int n = rowlock.call(work -> raiseHanging(work.entityManager()));
              interrupted.set(Thread.interrupted());
              return n;
            });
    db.awaitBlockedBy(rival.pid());
    awaitAsked();
    rival.commit();

    assertThat(Together.get(result)).isEqualTo(1);
    assertThat(interrupted).isTrue();
    assertThat(attempts).hasValue(1);
    assertThat(n()).isEqualTo(1);
  }

  @Test
  void waiting_ends_with_the_deadline_and_the_id_tells_the_outcome_later() throws Exception {
    Planned lost = proxy.atCommit(Fault.LOSE_BEFORE);
    Rowlock rowlock = rowlock(Transactions.LOCAL);

    CommitOutcomeUnknownException unknown =
        catchThrowableOfType(
            CommitOutcomeUnknownException.class,
            () -> raiseWithin(rowlock, Duration.ofMillis(700)));

    assertThat(unknown).hasMessageContaining("still in progress");
    String question = unknown.question().orElseThrow();
    assertThat(db.one(question)).isEqualTo("in progress");
    lost.release();
    Await.until("the server has noticed", () -> db.one(question).equals("aborted"));
    assertThat(attempts).hasValue(1);
    assertThat(n()).isZero();
  }

  @Test
  void without_a_connection_the_outcome_is_unknown_and_the_id_tells_it_later() throws Exception {
    Planned cut = proxy.atCommit(Fault.CUT_ANSWERED);
    events.log().clear();
    Rowlock rowlock =
        Rowlock.builder(local.factory())
            .listener(events)
            .listener(
                new RowlockListener() {
                  @Override
                  public void onCommitUnanswered(UnitInfo unit, Throwable problem) {
                    proxy.refuse();
                    proxy.cutAll();
                  }
                })
            .build();

    CommitOutcomeUnknownException unknown =
        catchThrowableOfType(
            CommitOutcomeUnknownException.class,
            () -> raiseWithin(rowlock, Duration.ofMillis(700)));

    assertThat(cut.happened()).isTrue();
    assertThat(unknown)
        .hasMessageContaining("'unit' on attempt 1 of 50")
        .hasMessageContaining("not known whether it was committed")
        .hasMessageContaining("pg_xact_status('" + unknown.transactionId().orElseThrow() + "'")
        .satisfies(e -> assertThat(e.unit().attempt()).isEqualTo(1));
    assertThat(FailureClassifier.classify(unknown.getCause()).kind())
        .isEqualTo(FailureKind.CONNECTION_LOST);
    assertThat(db.one(unknown.question().orElseThrow())).isEqualTo("committed");
    assertThat(attempts).hasValue(1);
    assertThat(n()).isEqualTo(1);
    assertThat(events.log())
        .containsExactly(
            "attempt 1",
            "commit 1",
            "unanswered 1",
            "UNKNOWN 1",
            "failed 1 CONNECTION_LOST CommitOutcomeUnknownException",
            "given up 1 CommitOutcomeUnknownException");
  }

  @Test
  void connections_that_are_refused_for_a_while_are_tried_again() throws Exception {
    proxy.atCommit(Fault.CUT_ANSWERED);
    CountingRefusals refusals = new CountingRefusals();
    Rowlock rowlock = Rowlock.builder(local.factory()).listener(refusals).build();

    assertThat(raise(rowlock)).isEqualTo(1);
    assertThat(attempts).hasValue(1);
    assertThat(refusals.admitted).isTrue();
  }

  /**
   * All of the pool's connections are dead, and the question goes through them until one is not.
   */
  @Test
  void dead_connections_of_a_pool_that_only_drops_what_has_failed_are_gone_through()
      throws Exception {
    TestUnit unvalidated =
        db.unit(Tag.class).through(proxy).poolSize(4).unvalidated().sorted().open();
    Rowlock rowlock =
        Rowlock.builder(unvalidated.factory())
            .listener(
                new RowlockListener() {
                  @Override
                  public void onCommitUnanswered(UnitInfo unit, Throwable problem) {
                    proxy.cutAll();
                  }
                })
            .build();
    Together.run(
        4,
        thread ->
            rowlock.call(
                work -> {
                  attempts.incrementAndGet();
                  Await.until("all of them are at work", () -> attempts.get() == 4);
                  return Conflicts.pid(work.entityManager());
                }));
    attempts.set(0);
    proxy.atCommit(Fault.CUT_ANSWERED);

    assertThat(raise(rowlock)).isEqualTo(1);

    assertThat(attempts).hasValue(1);
    assertThat(n()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void a_unit_that_wrote_nothing_is_answered_without_a_question(Transactions transactions) {
    proxy.atCommit(Fault.CUT_BEFORE);

    int n =
        rowlock(transactions)
            .call(
                work -> {
                  attempts.incrementAndGet();
                  return work.entityManager().find(Tag.class, 1L).n;
                });

    assertThat(n).isZero();
    assertThat(attempts).hasValue(1);
    assertThat(events.log()).contains("COMMITTED 1");
  }

  /** What it read is only right once COMMIT has said so. */
  @Test
  void a_serializable_unit_that_wrote_nothing_is_run_again() {
    proxy.atCommit(Fault.CUT_BEFORE);

    rowlock(Transactions.LOCAL)
        .isolation(IsolationLevel.SERIALIZABLE)
        .run(
            work -> {
              attempts.incrementAndGet();
              work.entityManager().find(Tag.class, 1L);
            });

    assertThat(attempts).hasValue(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"CUT_BEFORE", "CUT_ANSWERED"})
  void an_id_that_was_assigned_at_the_start_needs_no_query(String fault) throws Exception {
    Rowlock rowlock =
        Rowlock.builder(local.factory()).commitTracking(CommitTracking.ASSIGN).build();
    local.log().clear();
    proxy.atCommit(Fault.valueOf(fault));

    assertThat(raise(rowlock)).isEqualTo(1);

    assertThat(attempts).hasValue(fault.equals("CUT_BEFORE") ? 2 : 1);
    assertThat(n()).isEqualTo(1);
    assertThat(local.log().statements())
        .noneMatch(sql -> sql.startsWith("select pg_current_xact_id_if_assigned"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"CUT_BEFORE", "CUT_ANSWERED"})
  void without_an_id_the_outcome_is_unknown(String fault) throws Exception {
    Rowlock rowlock = Rowlock.builder(local.factory()).commitTracking(CommitTracking.NONE).build();
    proxy.atCommit(Fault.valueOf(fault));

    assertThatThrownBy(() -> raise(rowlock))
        .isInstanceOfSatisfying(
            CommitOutcomeUnknownException.class,
            e -> {
              assertThat(e.transactionId()).isEmpty();
              assertThat(e.question()).isEmpty();
            })
        .hasMessageContaining("look for its effects");
    assertThat(attempts).hasValue(1);
    assertThat(n()).isEqualTo(fault.equals("CUT_BEFORE") ? 0 : 1);
  }

  @Test
  void the_query_before_commit_is_one_round_trip() {
    Rowlock rowlock = rowlock(Transactions.LOCAL);
    raise(rowlock);
    local.log().clear();

    raise(rowlock);

    assertThat(local.log().statements()).hasSize(4);
    assertThat(local.log().statements().get(3)).startsWith("select pg_current_xact_id_if_assigned");
    assertThat(local.log().work()).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  void the_applications_own_check_is_asked_instead(Transactions transactions) throws Exception {
    for (Fault fault : List.of(Fault.CUT_ANSWERED, Fault.CUT_BEFORE)) {
      one_row();
      attempts.set(0);
      AtomicInteger asked = new AtomicInteger();
      proxy.atCommit(fault);

      int n =
          rowlock(transactions)
              .commitCheck(
                  (info, em) -> {
                    assertThat(info.attempt()).isEqualTo(1);
                    asked.incrementAndGet();
                    return insertedDone(em) ? CommitOutcome.ROLLED_BACK : CommitOutcome.COMMITTED;
                  })
              .call(
                  work -> {
                    assertThat(insertedDone(work.entityManager())).isTrue();
                    return raise(work.entityManager());
                  });

      assertThat(n).isEqualTo(1);
      assertThat(asked).hasValue(1);
      assertThat(attempts).hasValue(fault == Fault.CUT_BEFORE ? 2 : 1);
      assertThat(n()).isEqualTo(1);
      assertThat(db.number("select count(*) from done")).isEqualTo(1);
    }
  }

  @Test
  void a_check_that_does_not_know_or_fails_leaves_the_outcome_unknown() throws Exception {
    proxy.atCommit(Fault.CUT_ANSWERED);
    Rowlock asked =
        Rowlock.builder(local.factory())
            .commitCheck((info, em) -> CommitOutcome.UNKNOWN)
            .listener(events)
            .build();
    assertThatThrownBy(() -> raise(asked)).isInstanceOf(CommitOutcomeUnknownException.class);

    Exception failure = new Exception("the check's own");
    proxy.atCommit(Fault.CUT_ANSWERED);
    assertThatThrownBy(
            () ->
                asked
                    .commitCheck(
                        (info, em) -> {
                          throw failure;
                        })
                    .run(work -> raise(work.entityManager())))
        .isInstanceOf(CommitOutcomeUnknownException.class)
        .hasMessageContaining("the check's own")
        .hasSuppressedException(failure);
    assertThat(n()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void a_connection_lost_before_commit_was_sent_is_a_plain_failure(Transactions transactions)
      throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Rowlock rowlock =
        Rowlock.builder((transactions == Transactions.JTA ? global : local).factory())
            .listener(events)
            .listener(
                new RowlockListener() {
                  @Override
                  public void beforeCommit(UnitInfo info) {
                    proxy.cutAll();
                  }
                })
            .build();

    assertThatThrownBy(() -> raise(rowlock)).satisfies(thrown::set);

    assertThat(thrown.get()).isNotInstanceOf(CommitOutcomeUnknownException.class);
    assertThat(FailureClassifier.classify(thrown.get()).kind())
        .isEqualTo(FailureKind.CONNECTION_LOST);
    assertThat(events.log()).noneMatch(event -> event.startsWith("unanswered"));
    assertThat(attempts).hasValue(1);
    assertThat(n()).isZero();
  }

  /** In the flush that belongs to the commit, and in the last statement before COMMIT. */
  @ParameterizedTest
  @ValueSource(strings = {"update", "select pg_current_xact_id_if_assigned"})
  void a_connection_lost_in_the_last_statements_is_run_again_if_asked_for(String statement)
      throws Exception {
    for (Transactions transactions : Transactions.values()) {
      one_row();
      attempts.set(0);
      proxy.at(sql -> sql.startsWith(statement), Fault.CUT_BEFORE);
      assertThatThrownBy(() -> raise(rowlock(transactions)))
          .isNotInstanceOf(CommitOutcomeUnknownException.class)
          .satisfies(
              e ->
                  assertThat(FailureClassifier.classify(e).kind())
                      .isEqualTo(FailureKind.CONNECTION_LOST));
      assertThat(attempts).hasValue(1);

      proxy.at(sql -> sql.startsWith(statement), Fault.CUT_BEFORE);
      int n =
          rowlock(transactions)
              .retrying(policy -> policy.alsoAfter(FailureKind.CONNECTION_LOST))
              .call(work -> raise(work.entityManager()));

      assertThat(n).isEqualTo(1);
      assertThat(attempts).hasValue(3);
      assertThat(n()).isEqualTo(1);
      assertThat(events.log()).noneMatch(event -> event.startsWith("unanswered"));
    }
  }

  /** 25P03, found out by a statement of the unit or by the last one before COMMIT. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_unit_that_idled_for_too_long_is_a_plain_failure(boolean writesAfterwards)
      throws Exception {
    for (Transactions transactions : Transactions.values()) {
      one_row();
      attempts.set(0);
      Rowlock rowlock = rowlock(transactions);
      assertThatThrownBy(() -> rowlock.run(work -> idle(work.entityManager(), writesAfterwards)))
          .satisfies(
              e -> {
                assertThat(FailureClassifier.classify(e).sqlState()).isEqualTo("25P03");
                assertThat(e).isNotInstanceOf(CommitOutcomeUnknownException.class);
              });
      assertThat(attempts).hasValue(1);
      assertThat(n()).isZero();

      attempts.set(0);
      rowlock
          .retrying(policy -> policy.alsoAfter(FailureKind.CONNECTION_LOST))
          .run(work -> idle(work.entityManager(), writesAfterwards));
      assertThat(attempts).hasValue(2);
      assertThat(n()).isEqualTo(writesAfterwards ? 2 : 1);
    }
  }

  /** The server ends the first attempt's connection while it idles. */
  private void idle(EntityManager em, boolean writesAfterwards) throws Exception {
    write(em);
    if (attempts.incrementAndGet() == 1) {
      int pid = Conflicts.pid(em);
      em.createNativeQuery("select set_config('idle_in_transaction_session_timeout', '50ms', true)")
          .getSingleResult();
      Await.until(
          "the server has ended the connection",
          () -> db.number("select count(*) from pg_stat_activity where pid = ?", pid) == 0);
    }
    if (writesAfterwards) {
      write(em);
    }
  }

  private static void write(EntityManager em) {
    em.createNativeQuery("update tag set n = n + 1").executeUpdate();
  }

  private void raiseWithin(Rowlock rowlock, Duration deadline) {
    rowlock.deadline(deadline).run(work -> raise(work.entityManager()));
  }

  /** Some connection has asked, and was told that the transaction is in progress. */
  private static void awaitAsked() {
    Await.until(
        "the server was asked for the transaction's status",
        () ->
            db.number(
                    "select count(*) from pg_stat_activity where application_name = ?"
                        + " and query = 'select pg_xact_status($1::xid8)'",
                    db.schema())
                > 0);
  }

  private static boolean insertedDone(EntityManager em) {
    return em.createNativeQuery("insert into done values (7) on conflict do nothing")
            .executeUpdate()
        == 1;
  }

  /** Refuses connections when the question comes up, and admits them a little later. */
  private static final class CountingRefusals implements RowlockListener {

    volatile boolean admitted;

    @Override
    public void onCommitUnanswered(UnitInfo unit, Throwable problem) {
      proxy.refuse();
      proxy.cutAll();
      Together.start(
          () -> {
            Await.until(
                "a connection was refused", () -> local.pool().getMetrics().activeCount() == 0);
            proxy.admit();
            admitted = true;
            return null;
          });
    }
  }
}
