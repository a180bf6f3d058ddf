package io.rowlock.internal.postgres;

import io.rowlock.AfterCommitException;
import io.rowlock.CommitOutcomeUnknownException;
import io.rowlock.RetriesExhaustedException;
import io.rowlock.UnitInterruptedException;
import io.rowlock.UnitMisuseException;
import io.rowlock.retry.Failure;
import io.rowlock.retry.FailureKind;
import jakarta.persistence.OptimisticLockException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a failure's kind from its whole chain: causes, next exceptions, and the suppressed
 * exceptions of all of them, each visited once. The one place that decides; everything asks it.
 *
 * <p>In this order:
 *
 * <ol>
 *   <li>an error of the virtual machine is {@link FailureKind#OTHER}, whatever it carries;
 *   <li>40001 or 40P01 among causes and next exceptions: PostgreSQL has aborted the transaction,
 *       whatever stands around it;
 *   <li>a lost connection there: nothing that is merely suppressed may speak for a rerun then;
 *   <li>40001 or 40P01 in a suppressed exception (transaction managers put the commit's failure
 *       there);
 *   <li>the first SQLSTATE that means something, then an optimistic lock failure by its class.
 * </ol>
 *
 * <p>25P02 is an echo of an earlier failure, which the driver attaches as its cause: it decides
 * only where nothing else does. What an inner unit of work of another factory has answered for good
 * (retries exhausted, outcome unknown, committed, interrupted, misused) is not looked into: its
 * reruns were its own.
 *
 * <p>Stateless.
 */
public final class FailureClassifier {

  private static final String STALE_STATE = "org.hibernate.StaleStateException";

  private FailureClassifier() {}

  /** What the failure is. */
  public static Failure classify(Throwable problem) {
    if (problem instanceof VirtualMachineError) {
      return new Failure(FailureKind.OTHER, null, null);
    }
    Walk walk = new Walk(problem);
    Failure decided = walk.firstOf(true, FailureClassifier::isAborted);
    if (decided == null) {
      decided = walk.firstOf(true, kind -> kind == FailureKind.CONNECTION_LOST);
    }
    if (decided == null) {
      decided = walk.firstOf(false, FailureClassifier::isAborted);
    }
    if (decided == null) {
      decided = walk.firstOf(false, kind -> kind != FailureKind.OTHER);
    }
    if (decided == null && walk.optimisticLock) {
      decided = new Failure(FailureKind.OPTIMISTIC_LOCK, walk.firstState(), null);
    }
    return decided == null ? new Failure(FailureKind.OTHER, walk.firstState(), null) : decided;
  }

  /** What the first SQL exception says of which something is known; empty if there is none. */
  static <T> Optional<T> firstSql(Throwable problem, Function<SQLException, Optional<T>> meaning) {
    return new Walk(problem).main.stream().flatMap(sql -> meaning.apply(sql).stream()).findFirst();
  }

  /**
   * The first SQL exception of the chain that has a state, those in suppressed exceptions included;
   * null if there is none.
   */
  public static @Nullable SQLException sqlFailure(Throwable problem) {
    return new Walk(problem)
        .all.stream().filter(sql -> sql.getSQLState() != null).findFirst().orElse(null);
  }

  private static boolean isAborted(FailureKind kind) {
    return kind == FailureKind.SERIALIZATION_FAILURE || kind == FailureKind.DEADLOCK;
  }

  private static boolean isTerminal(Throwable node) {
    return node instanceof RetriesExhaustedException
        || node instanceof CommitOutcomeUnknownException
        || node instanceof AfterCommitException
        || node instanceof UnitInterruptedException
        || node instanceof UnitMisuseException;
  }

  private static boolean isOptimisticLock(Throwable node) {
    if (node instanceof OptimisticLockException) {
      return true;
    }
    for (Class<?> type = node.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().equals(STALE_STATE)) {
        return true;
      }
    }
    return false;
  }

  private interface KindFilter {
    boolean accepts(FailureKind kind);
  }

  /**
   * All SQL exceptions of a chain: first those of causes and next exceptions, then the suppressed
   * ones.
   */
  private static final class Walk {

    private final Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<SQLException> main = new ArrayList<>();
    private final List<SQLException> all = new ArrayList<>();
    private boolean optimisticLock;

    Walk(Throwable start) {
      List<Throwable> suppressed = new ArrayList<>();
      follow(start, suppressed);
      main.addAll(all);
      for (int i = 0; i < suppressed.size(); i++) {
        follow(suppressed.get(i), suppressed);
      }
    }

    private void follow(Throwable start, List<Throwable> suppressed) {
      Deque<Throwable> todo = new ArrayDeque<>();
      todo.push(start);
      while (!todo.isEmpty()) {
        Throwable node = todo.pop();
        if (isTerminal(node) || !seen.add(node)) {
          continue;
        }
        optimisticLock |= isOptimisticLock(node);
        Collections.addAll(suppressed, node.getSuppressed());
        if (node instanceof SQLException sql) {
          all.add(sql);
          if (sql.getNextException() != null) {
            todo.push(sql.getNextException());
          }
        }
        if (node.getCause() != null) {
          todo.push(node.getCause());
        }
      }
    }

    @Nullable Failure firstOf(boolean onlyMain, KindFilter filter) {
      for (SQLException sql : onlyMain ? main : all) {
        String state = sql.getSQLState();
        if (state != null) {
          FailureKind kind = SqlStates.kindOf(state);
          if (filter.accepts(kind)) {
            return new Failure(kind, state, DriverDetails.constraint(sql));
          }
        }
      }
      return null;
    }

    @Nullable String firstState() {
      String echo = null;
      for (SQLException sql : all) {
        String state = sql.getSQLState();
        if (state != null && !state.equals(SqlStates.IN_FAILED_TRANSACTION)) {
          return state;
        }
        echo = echo == null ? state : echo;
      }
      return echo;
    }
  }
}
