package io.rowlock.internal;

import io.rowlock.CommitCheck;
import io.rowlock.CommitOutcome;
import io.rowlock.CommitOutcomeUnknownException;
import io.rowlock.IsolationLevel;
import io.rowlock.RowlockException;
import io.rowlock.UnitInfo;
import io.rowlock.internal.AttemptOutcome.Failed;
import io.rowlock.internal.AttemptOutcome.Reached;
import io.rowlock.internal.TransactionDriver.UnitTransaction;
import io.rowlock.internal.hibernate.JtaTransactions;
import io.rowlock.internal.postgres.FailureClassifier;
import io.rowlock.internal.postgres.TransactionFate;
import io.rowlock.internal.postgres.TransactionMark;
import io.rowlock.retry.Failure;
import io.rowlock.retry.FailureKind;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what has become of an attempt whose COMMIT was sent and not answered: from PostgreSQL
 * or, instead, by the application's own check. Asks until there is an answer or the unit's deadline
 * has passed, at least once.
 *
 * <p>For one attempt that is over, and the thread that ran it.
 */
final class LostCommit {

  /** How long to ask for the outcome of a unit without a deadline. */
  private static final Duration BOUND = Duration.ofSeconds(30);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

  /** A check may take so long even if the deadline has passed: it is asked once at least. */
  private static final Duration SHORTEST_CHECK = Duration.ofSeconds(1);

  private final UnitEngine engine;
  private final UnitPlan plan;
  private final UnitInfo info;
  private final Deadline limit;
  private final Timing timing = Timing.SYSTEM;
  private final @Nullable TransactionMark mark;
  private final @Nullable CommitCheck check;
  private @Nullable Throwable last;
  private String reason = "nothing that could be asked for is known of its transaction";

  LostCommit(
      UnitEngine engine,
      UnitPlan plan,
      UnitInfo info,
      Deadline deadline,
      @Nullable TransactionMark mark) {
    this.engine = engine;
    this.plan = plan;
    this.info = info;
    Duration left = deadline.left();
    this.limit = new Deadline(timing, left == null ? BOUND : left);
    this.mark = mark;
    this.check = plan.check();
  }

  /**
   * Settles a failure. One that is not in doubt is answered as it is.
   *
   * @param isolation the isolation level of the attempt
   * @param ifCommitted the outcome that the attempt would have had without the failure
   */
  <T extends @Nullable Object> AttemptOutcome<T> settle(
      Failed<T> failed, IsolationLevel isolation, @Nullable AttemptOutcome<T> ifCommitted) {
    if (failed.reached() != Reached.COMMIT || ifCommitted == null) {
      return failed;
    }
    Throwable problem = failed.problem();
    Failure failure = FailureClassifier.classify(problem);
    boolean lost = failure.kind() == FailureKind.CONNECTION_LOST;
    if (!lost && !isUnclear(problem, failure)) {
      return failed;
    }
    CommitOutcome outcome = ask(problem, isolation);
    return switch (outcome) {
      case COMMITTED -> lost ? ifCommitted : AttemptOutcome.failed(problem, Reached.COMMITTED);
      case ROLLED_BACK ->
          AttemptOutcome.failed(problem, lost ? Reached.ROLLED_BACK : Reached.COMMIT);
      case UNKNOWN -> AttemptOutcome.failed(unknown(problem), Reached.UNKNOWN);
    };
  }

  /**
   * What failed may have been after the COMMIT, or before it was sent; the server always names a
   * state.
   */
  private boolean isUnclear(Throwable problem, Failure failure) {
    String state = failure.sqlState();
    return (state == null || state.isEmpty())
        && !(problem instanceof RowlockException)
        && (check != null || (mark != null && mark.id() != null));
  }

  private CommitOutcomeUnknownException unknown(Throwable problem) {
    CommitOutcomeUnknownException unknown =
        new CommitOutcomeUnknownException(info, mark == null ? null : mark.id(), reason, problem);
    if (last != null && last != problem) {
      unknown.addSuppressed(last);
    }
    return unknown;
  }

  private CommitOutcome ask(Throwable problem, IsolationLevel isolation) {
    plan.listener().onCommitUnanswered(info, problem);
    // it may be what has cost the connection, and would cost the next one; it is the caller's again
    // after
    boolean interrupted = Thread.interrupted();
    try {
      return ask(isolation);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private CommitOutcome ask(IsolationLevel isolation) {
    JtaTransactions jta = engine.jta();
    CommitOutcome outcome = jta == null ? answer(isolation) : jta.outside(() -> answer(isolation));
    plan.listener().onOutcomeSettled(info, outcome, limit.elapsed());
    return outcome;
  }

  private CommitOutcome answer(IsolationLevel isolation) {
    if (check != null) {
      return untilDecided(() -> checked(check));
    }
    if (mark == null) {
      return CommitOutcome.UNKNOWN;
    }
    if (mark.id() == null) {
      // nothing was written; but what was read is only right once a serializable COMMIT has said so
      return isolation == IsolationLevel.SERIALIZABLE
          ? CommitOutcome.ROLLED_BACK
          : CommitOutcome.COMMITTED;
    }
    return untilDecided(() -> said(engine.factory().fateOf(mark)));
  }

  private interface Question {
    /** The answer, or null to ask again. */
    @Nullable CommitOutcome ask() throws Exception;
  }

  private CommitOutcome untilDecided(Question question) {
    Duration pause = FIRST_PAUSE;
    while (true) {
      CommitOutcome outcome = once(question);
      if (outcome != null) {
        return outcome;
      }
      if (limit.passesDuring(pause)) {
        return CommitOutcome.UNKNOWN;
      }
      try {
        timing.pause(pause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        reason = "the thread was interrupted before there was an answer; " + reason;
        return CommitOutcome.UNKNOWN;
      }
      pause = longer(pause);
    }
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }

  private @Nullable CommitOutcome once(Question question) {
    try {
      return question.ask();
    } catch (Exception e) {
      last = e;
      reason = "the question failed: " + e.getMessage();
      boolean again =
          check == null || FailureClassifier.classify(e).kind() == FailureKind.CONNECTION_LOST;
      return again ? null : CommitOutcome.UNKNOWN;
    }
  }

  private @Nullable CommitOutcome said(TransactionFate fate) {
    reason = fate.reason();
    return switch (fate.state()) {
      case COMMITTED -> CommitOutcome.COMMITTED;
      case ROLLED_BACK -> CommitOutcome.ROLLED_BACK;
      case UNDECIDED -> null;
      case UNKNOWN -> CommitOutcome.UNKNOWN;
    };
  }

  private CommitOutcome checked(CommitCheck own) throws Exception {
    Duration left = limit.left();
    boolean tooShort = left == null || left.compareTo(SHORTEST_CHECK) < 0;
    UnitTransaction transaction =
        engine
            .driver()
            .begin(
                IsolationLevel.READ_COMMITTED,
                tooShort ? new Deadline(timing, SHORTEST_CHECK) : limit,
                new CommitGate(info),
                engine.factory().reuseGuard());
    try {
      reason = "the application's own check does not know it either";
      return own.outcomeOf(info, transaction.session().entityManager());
    } finally {
      Throwable over = new IllegalStateException("The check is over");
      transaction.rollback(over);
      transaction.session().close(over);
    }
  }
}
