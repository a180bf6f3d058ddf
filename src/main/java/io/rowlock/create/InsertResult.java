package io.rowlock.create;

import java.util.Objects;
import java.util.Optional;

/**
 * What came of insert-if-absent. A skipped insert answers no row: it has neither read nor locked
 * the row that was in the way.
 *
 * @param <E> the entity's type
 */
public sealed interface InsertResult<E> {

  /** Whether this call inserted the row. */
  default boolean inserted() {
    return this instanceof Inserted<?>;
  }

  /** The managed entity of the inserted row; empty if the insert was skipped. */
  default Optional<E> entity() {
    return this instanceof Inserted<E> row ? Optional.of(row.row()) : Optional.empty();
  }

  /**
   * The row was inserted.
   *
   * @param row the managed entity
   * @param <E> the entity's type
   */
  record Inserted<E>(E row) implements InsertResult<E> {

    /** Checks that the row is given. */
    public Inserted {
      Objects.requireNonNull(row, "row");
    }
  }

  /**
   * A row with the key was there already; nothing was written.
   *
   * @param <E> the entity's type
   */
  record Skipped<E>() implements InsertResult<E> {}
}
