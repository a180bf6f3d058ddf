package io.rowlock.internal;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A call inside of the transaction that a container has begun for it and will end. Not safe for use
 * by several threads.
 */
public interface ContainerAttempt {

  /**
   * Calls the function in the container's transaction: opens that transaction as a unit's before,
   * and sees to it that nothing which cannot be stored is taken for committed after.
   *
   * @throws IllegalStateException if there is no active transaction, or the call joins one of
   *     another isolation level than it asks for
   * @throws Exception what the function throws
   */
  <T extends @Nullable Object> T work(Callable<T> function) throws Exception;
}
