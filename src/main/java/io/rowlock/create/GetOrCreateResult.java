package io.rowlock.create;

import java.util.Objects;

/**
 * The row that get-or-create answers.
 *
 * @param entity the managed entity: the stored row, never the candidate that was passed in
 * @param created true if this call inserted the row, false if it was there
 * @param <E> the entity's type
 */
public record GetOrCreateResult<E>(E entity, boolean created) {

  /** Checks that the entity is given. */
  public GetOrCreateResult {
    Objects.requireNonNull(entity, "entity");
  }
}
