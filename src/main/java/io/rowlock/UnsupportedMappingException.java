package io.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * What was asked for cannot be done right with this entity's mapping or its table. Raised before
 * any row is changed; the message names the entity, the table and the remedy.
 */
public final class UnsupportedMappingException extends RowlockException {

  private static final long serialVersionUID = 1L;

  private final String entity;

  /** Made by Rowlock. */
  public UnsupportedMappingException(String entity, String message) {
    this(entity, message, null);
  }

  /** Made by Rowlock. */
  public UnsupportedMappingException(String entity, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.entity = entity;
  }

  /** The entity's name. */
  public String entity() {
    return entity;
  }
}
