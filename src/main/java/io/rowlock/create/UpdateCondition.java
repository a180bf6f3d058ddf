package io.rowlock.create;

import java.util.Objects;

/**
 * Under which condition an upsert changes a row that is there. It is tested against what the row
 * holds under the lock, by the database's own comparison.
 *
 * <p>Immutable, reusable; safe for use by any thread.
 *
 * @param attribute the name of the attribute that is looked at
 * @param test what must hold of it
 */
public record UpdateCondition(String attribute, Test test) {

  /** What is tested. */
  public enum Test {
    /** The candidate's value is greater than the row's, or the row has null. */
    GREATER,
    /** The row has null. */
    ABSENT
  }

  /** Checks that the attribute is named and the test given. */
  public UpdateCondition {
    Objects.requireNonNull(attribute, "attribute");
    Objects.requireNonNull(test, "test");
    if (attribute.isBlank()) {
      throw new IllegalArgumentException("The name of a condition's attribute is blank");
    }
  }

  /**
   * Only if the candidate's value is greater than the row's, or the row has null: for what comes in
   * out of order and has a time or a number. A candidate's null is never greater.
   */
  public static UpdateCondition greater(String attribute) {
    return new UpdateCondition(attribute, Test.GREATER);
  }

  /** Only if the row has null: the first value stays. */
  public static UpdateCondition absent(String attribute) {
    return new UpdateCondition(attribute, Test.ABSENT);
  }
}
