package io.rowlock.internal.postgres;

import java.sql.SQLException;

/** What the failure of a create-once statement means. */
public final class CreateFailures {

  /** invalid_column_reference. */
  private static final String NO_MATCHING_INDEX = "42P10";

  /** object_not_in_prerequisite_state. */
  private static final String NOT_IN_PREREQUISITE_STATE = "55000";

  private CreateFailures() {}

  /** Whether the statement found no index to arbitrate: it was there when the catalog was asked. */
  public static boolean arbiterIsGone(SQLException failure) {
    String state = failure.getSQLState();
    return NO_MATCHING_INDEX.equals(state)
        || (NOT_IN_PREREQUISITE_STATE.equals(state)
            && String.valueOf(failure.getMessage()).contains("ON CONFLICT"));
  }
}
