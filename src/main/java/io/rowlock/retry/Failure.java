package io.rowlock.retry;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What was read from the chain of a failure.
 *
 * <p>Immutable; safe for use by any thread.
 *
 * @param kind what decides how the failure is treated
 * @param sqlState the SQLSTATE that decided the kind, or the first one found; null if there is none
 * @param constraint the violated constraint that the server named, or null
 */
public record Failure(FailureKind kind, @Nullable String sqlState, @Nullable String constraint) {

  /** Checks that the kind is given. */
  public Failure {
    Objects.requireNonNull(kind, "kind");
  }
}
