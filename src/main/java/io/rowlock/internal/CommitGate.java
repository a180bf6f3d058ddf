package io.rowlock.internal;

import io.rowlock.CommitTracking;
import io.rowlock.IsolationLevel;
import io.rowlock.RowlockException;
import io.rowlock.SwallowedFailureException;
import io.rowlock.TransactionTimeoutException;
import io.rowlock.UnitInfo;
import io.rowlock.UnitMisuseException;
import io.rowlock.internal.AttemptOutcome.Reached;
import io.rowlock.internal.hibernate.HibernateSession;
import io.rowlock.internal.hibernate.JtaTransactions;
import io.rowlock.internal.hibernate.TransactionEvents;
import io.rowlock.internal.postgres.Causes;
import io.rowlock.internal.postgres.TransactionMark;
import jakarta.persistence.TransactionRequiredException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Stands before the COMMIT of one attempt. It lets nobody but the engine end the transaction, and
 * nothing commit that the server would answer with ROLLBACK: that "commit() did not throw" proves
 * nothing.
 *
 * <p>Used by the thread of its attempt only.
 */
final class CommitGate implements TransactionEvents {

  private static final String ROLLED_BACK = "rolled its transaction back itself";

  private final UnitInfo info;
  private final CommitTracking tracking;
  private final long started = System.nanoTime();
  private @Nullable HibernateSession session;
  private @Nullable TransactionMark mark;
  private @Nullable RuntimeException broken;
  private @Nullable Throwable lost;
  private @Nullable Throwable nested;
  private @Nullable RowlockException refusal;
  private boolean begun;
  private boolean ending;
  private boolean ended;
  private Reached reached = Reached.WORK;

  /** One before a COMMIT that is somebody else's: its outcome is not asked for. */
  CommitGate(UnitInfo info) {
    this(info, CommitTracking.NONE);
  }

  /**
   * One before a COMMIT.
   *
   * @param tracking how the transaction's id is learnt
   */
  CommitGate(UnitInfo info, CommitTracking tracking) {
    this.info = info;
    this.tracking = tracking;
  }

  /** Sends the first statement of a transaction that has just begun. */
  void prepare(HibernateSession begun, IsolationLevel level, Deadline deadline) {
    mark = begun.prepare(level, deadline.left(), tracking == CommitTracking.ASSIGN);
  }

  /** Stands before this session's transaction, of which the first statement has been sent. */
  void guard(HibernateSession guarded) {
    session = guarded;
    begun = true;
  }

  /** Stands before the end of a session's part in a transaction that somebody else began. */
  void guardJoined(HibernateSession guarded) {
    session = guarded;
  }

  /** What is known of the transaction should the answer to its COMMIT be lost; null for nothing. */
  @Nullable TransactionMark mark() {
    return mark;
  }

  /** How far the attempt has come. */
  Reached reached() {
    return reached;
  }

  /** How far the attempt has come that has failed by this. */
  Reached reachedBy(Throwable problem) {
    return reached == Reached.COMMITTED && JtaTransactions.isMixed(problem)
        ? Reached.UNKNOWN
        : reached;
  }

  /**
   * An operation of the unit has failed in a way that costs the transaction; the first one counts.
   */
  void transactionLost(Throwable failure) {
    lost = lost == null ? failure : lost;
  }

  /** A unit that had joined has failed: so will this one, whatever its function makes of it. */
  void nestedFailed(Throwable failure) {
    nested = nested == null ? failure : nested;
  }

  /** The function has returned, and had misused what belongs to another attempt. */
  UnitMisuseException misused(UnitMisuseException how) {
    return refuse(how);
  }

  /** The function has returned, and another transaction than the unit's is on its thread. */
  UnitMisuseException leftTransaction() {
    return refuse(misuse("has ended its transaction itself, or left another one on its thread"));
  }

  /** The function has returned, and the transaction manager had not waited for it. */
  TransactionTimeoutException timedOut() {
    return refuse(timeout(lost));
  }

  /**
   * The function has thrown, and the transaction manager had not waited for it: what leaves
   * instead.
   */
  Throwable timedOut(Throwable thrown) {
    if (reached != Reached.WORK || thrown instanceof TransactionTimeoutException) {
      return thrown;
    }
    if (thrown instanceof RuntimeException) {
      return refuse(timeout(thrown));
    }
    thrown.addSuppressed(timeout(null));
    return thrown;
  }

  private TransactionTimeoutException timeout(@Nullable Throwable cause) {
    return new TransactionTimeoutException(
        info, Duration.ofNanos(System.nanoTime() - started), cause);
  }

  /** The function has returned, and the transaction is over, or not on its thread. */
  RowlockException endedTooEarly() {
    return ended ? refuse(misuse(ROLLED_BACK)) : leftTransaction();
  }

  /** From here on it is the engine that ends the transaction. */
  void open() {
    refuseIfLost();
    ending = true;
  }

  /** After a COMMIT that did not fail: nothing but word of its success counts. */
  void verifyCommitted() {
    if (reached != Reached.COMMITTED) {
      throw refuse(swallowed(lost));
    }
  }

  /** The attempt has failed: what for, without the wrapping that a refusal got on its way here. */
  Throwable explain(Throwable failure) {
    RuntimeException because = refusal == null ? broken : refusal;
    if (ending) {
      return because == null ? failure : because;
    }
    ending = true;
    HibernateSession guarded = session;
    if (because == null && guarded != null && isBypassed(guarded)) {
      // a rerun would repeat what is stored already
      return refuse(bypassed(failure));
    }
    if (because == null && ended && failure instanceof TransactionRequiredException) {
      return refuse(misuse(ROLLED_BACK, failure));
    }
    return because != null && Causes.any(failure, link -> link == because) ? because : failure;
  }

  @Override
  public void begun() {
    throw refuse(
        new UnitMisuseException(
            "Unit of work " + info + " began a transaction itself: it runs in one already", null));
  }

  @Override
  public void beforeCommit() {
    if (!ending) {
      throw refuse(misuse("was about to commit its transaction itself, which was prevented"));
    }
    refuseIfLost();
    learnId();
    reached = Reached.COMMIT;
  }

  @Override
  public void ended(boolean committed) {
    ended = true;
    if (committed) {
      reached = Reached.COMMITTED;
    }
  }

  /**
   * Unless one of the unit's statements has carried it, by the last one before COMMIT; that it is
   * answered also shows that the connection lives.
   */
  private void learnId() {
    HibernateSession guarded = session;
    if (tracking == CommitTracking.QUERY && guarded != null && guarded.isOpen()) {
      try {
        TransactionMark carried = guarded.carriedMark();
        mark = carried == null ? guarded.mark() : carried;
      } catch (RuntimeException e) {
        broken = e;
        throw e;
      }
    }
  }

  private void refuseIfLost() {
    HibernateSession guarded = session;
    if (refusal != null) {
      throw refusal;
    }
    if (guarded == null) {
      return;
    }
    if (!guarded.isOpen()) {
      throw refuse(misuse("closed its entity manager"));
    }
    if (ended) {
      throw refuse(misuse(ROLLED_BACK));
    }
    if (isBypassed(guarded)) {
      throw refuse(bypassed(null));
    }
    if (nested != null) {
      throw refuse(new SwallowedFailureException(info, "a unit that had joined it failed", nested));
    }
    switch (guarded.serverState()) {
      case NONE, OPEN -> refuseIfRollbackOnly(guarded);
      case FAILED, UNKNOWN -> refuseIfFailed(guarded);
    }
  }

  /** One that was joined may not have sent its first statement yet. */
  private boolean isBypassed(HibernateSession guarded) {
    return begun && !ended && guarded.isBypassed();
  }

  private UnitMisuseException bypassed(@Nullable Throwable cause) {
    return misuse(
        "ended its transaction at the connection or by a statement (if that was a commit, what came before"
            + " it is stored, and cannot be taken back)",
        cause);
  }

  private void refuseIfFailed(HibernateSession guarded) {
    Throwable failure = guarded.probe();
    if (failure != null) {
      throw refuse(swallowed(failure));
    }
    refuseIfRollbackOnly(guarded);
  }

  /**
   * A dead connection is found out here too: {@code find} answers null on one, and marks for
   * rollback.
   */
  private void refuseIfRollbackOnly(HibernateSession guarded) {
    if (guarded.isRollbackOnly()) {
      Throwable failure = lost != null ? lost : guarded.probe();
      if (failure != null) {
        throw refuse(swallowed(failure));
      }
      throw refuse(
          new SwallowedFailureException(
              info,
              "its transaction was marked for rollback, by the function itself or by an exception of"
                  + " Jakarta Persistence that it caught, or by a transaction manager whose timeout has passed",
              null));
    }
  }

  private SwallowedFailureException swallowed(@Nullable Throwable failure) {
    return new SwallowedFailureException(info, "a failure had cost its transaction", failure);
  }

  private UnitMisuseException misuse(String what) {
    return misuse(what, null);
  }

  private UnitMisuseException misuse(String what, @Nullable Throwable cause) {
    return new UnitMisuseException(
        "Unit of work "
            + info
            + " "
            + what
            + ": a unit's transaction is begun and ended for it, once its function has returned or thrown",
        cause);
  }

  private <E extends RowlockException> E refuse(E because) {
    refusal = refusal == null ? because : refusal;
    return because;
  }
}
