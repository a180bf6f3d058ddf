package io.rowlock.internal.postgres;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;

/** What the failure of a create-once statement can mean. */
public enum CreateFailure {
  /** The statement found no index to arbitrate: it was there when the catalog was asked. */
  NO_ARBITER("rowlock: the index of the key is gone"),
  /** The row would have been stored under another key than the given one. */
  OTHER_KEY("rowlock: the row would be stored under another key"),
  /** The row would have been stored outside the predicate of the key's index. */
  OUTSIDE("rowlock: the row would be stored outside the key's predicate");

  /** invalid_column_reference. */
  private static final String NO_MATCHING_INDEX = "42P10";

  /** object_not_in_prerequisite_state. */
  private static final String NOT_IN_PREREQUISITE_STATE = "55000";

  /** invalid_text_representation. */
  private static final String INVALID_TEXT = "22P02";

  private final String text;

  CreateFailure(String text) {
    this.text = text;
  }

  /** What a failure means; empty if it is none of these. */
  public static Optional<CreateFailure> of(Throwable problem) {
    return FailureClassifier.firstSql(problem, CreateFailure::of);
  }

  private static Optional<CreateFailure> of(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    String message = String.valueOf(failure.getMessage());
    return switch (state) {
      case NO_MATCHING_INDEX -> Optional.of(NO_ARBITER);
      case NOT_IN_PREREQUISITE_STATE ->
          message.contains("ON CONFLICT") ? Optional.of(NO_ARBITER) : Optional.empty();
      case INVALID_TEXT ->
          Arrays.stream(values()).filter(meaning -> message.contains(meaning.text)).findFirst();
      default -> Optional.empty();
    };
  }

  /** The text by which the failure is told, as a literal that is no value of any other type. */
  String literal() {
    return "'" + text.replace("'", "''") + "'";
  }
}
