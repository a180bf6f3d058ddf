package io.rowlock;

import jakarta.persistence.PersistenceException;
import org.jspecify.annotations.Nullable;

/**
 * What Rowlock itself has to say. Being a {@link PersistenceException}, it passes through code that
 * handles failures of Jakarta Persistence, and rolls a declarative transaction back.
 */
public abstract class RowlockException extends PersistenceException {

  private static final long serialVersionUID = 1L;

  RowlockException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
