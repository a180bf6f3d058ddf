package io.rowlock.internal;

import io.rowlock.IsolationLevel;
import io.rowlock.retry.RetryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What was asked of a unit of work.
 *
 * @param name its name
 * @param requested the isolation level that was asked for, null for the one of the settings
 * @param policy its retry policy
 */
record UnitSpec(String name, @Nullable IsolationLevel requested, RetryPolicy policy) {

  private static final String DEFAULT_NAME = "unit";

  static UnitSpec of(RetryPolicy policy) {
    return new UnitSpec(DEFAULT_NAME, null, policy);
  }

  UnitSpec withName(String changed) {
    return new UnitSpec(changed, requested, policy);
  }

  UnitSpec withIsolation(IsolationLevel changed) {
    return new UnitSpec(name, changed, policy);
  }

  UnitSpec withPolicy(RetryPolicy changed) {
    return new UnitSpec(name, requested, changed);
  }
}
