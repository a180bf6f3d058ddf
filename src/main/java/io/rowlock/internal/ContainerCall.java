package io.rowlock.internal;

import org.jspecify.annotations.Nullable;

/**
 * Hands a call on to the container, which begins a transaction, does the work in it and ends it.
 *
 * @param <T> the result's type
 */
@FunctionalInterface
public interface ContainerCall<T extends @Nullable Object> {

  /**
   * Calls.
   *
   * @param attempt what the innermost part of the call, inside of the transaction, has to go
   *     through
   */
  T proceed(ContainerAttempt attempt) throws Exception;
}
