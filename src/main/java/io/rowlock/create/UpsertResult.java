package io.rowlock.create;

import java.util.Objects;

/**
 * What came of an upsert.
 *
 * @param entity the managed entity: the stored row, never the candidate that was passed in
 * @param outcome what was done to the row
 * @param <E> the entity's type
 */
public record UpsertResult<E>(E entity, Outcome outcome) {

  /** Checks that nothing is null. */
  public UpsertResult {
    Objects.requireNonNull(entity, "entity");
    Objects.requireNonNull(outcome, "outcome");
  }

  /** What an upsert did to the row. */
  public enum Outcome {
    /** The row was inserted. */
    CREATED,
    /** The row was there, was changed, and its version was raised. */
    UPDATED,
    /**
     * The row was there with the same values, or a condition did not hold: nothing was written, the
     * version stayed.
     */
    UNCHANGED
  }
}
