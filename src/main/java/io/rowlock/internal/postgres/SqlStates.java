package io.rowlock.internal.postgres;

import io.rowlock.retry.FailureKind;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The SQLSTATEs that are told apart, and what they mean for a unit of work. */
public final class SqlStates {

  /** serialization_failure. */
  public static final String SERIALIZATION_FAILURE = "40001";

  /** deadlock_detected. */
  public static final String DEADLOCK = "40P01";

  /** lock_not_available. */
  public static final String LOCK_NOT_AVAILABLE = "55P03";

  /** unique_violation. */
  public static final String UNIQUE_VIOLATION = "23505";

  /** query_canceled. */
  public static final String QUERY_CANCELED = "57014";

  /** in_failed_sql_transaction: an echo of the failure that came before it. */
  public static final String IN_FAILED_TRANSACTION = "25P02";

  private static final String CONNECTION_CLASS = "08";

  /**
   * admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout,
   * idle_in_transaction_session_timeout, transaction_timeout.
   */
  private static final Set<String> CONNECTION_LOST =
      Set.of("57P01", "57P02", "57P03", "57P05", "25P03", "25P04");

  private static final Map<String, FailureKind> KINDS =
      Map.of(
          SERIALIZATION_FAILURE, FailureKind.SERIALIZATION_FAILURE,
          DEADLOCK, FailureKind.DEADLOCK,
          LOCK_NOT_AVAILABLE, FailureKind.LOCK_NOT_AVAILABLE,
          UNIQUE_VIOLATION, FailureKind.UNIQUE_VIOLATION,
          QUERY_CANCELED, FailureKind.QUERY_CANCELED);

  /** Syntax errors and names that do not exist. */
  private static final String SYNTAX_CLASS = "42";

  private SqlStates() {}

  /** Whether the server could make nothing of a statement's text. */
  static boolean isSyntaxError(@Nullable String state) {
    return state != null && state.startsWith(SYNTAX_CLASS);
  }

  /** What a SQLSTATE means. */
  static FailureKind kindOf(String state) {
    if (state.startsWith(CONNECTION_CLASS) || CONNECTION_LOST.contains(state)) {
      return FailureKind.CONNECTION_LOST;
    }
    return KINDS.getOrDefault(state, FailureKind.OTHER);
  }
}
