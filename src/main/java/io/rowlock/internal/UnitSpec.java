package io.rowlock.internal;

import io.rowlock.CommitCheck;
import io.rowlock.IsolationLevel;
import io.rowlock.retry.RetryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What was asked of a unit of work.
 *
 * @param name its name
 * @param requested the isolation level that was asked for, null for the one of the settings
 * @param policy its retry policy
 * @param check the application's own way to find out a commit's outcome, null for PostgreSQL's
 */
record UnitSpec(
    String name,
    @Nullable IsolationLevel requested,
    RetryPolicy policy,
    @Nullable CommitCheck check) {

  private static final String DEFAULT_NAME = "unit";

  static UnitSpec of(RetryPolicy policy, @Nullable CommitCheck check) {
    return new UnitSpec(DEFAULT_NAME, null, policy, check);
  }

  UnitSpec withName(String changed) {
    return new UnitSpec(changed, requested, policy, check);
  }

  UnitSpec withIsolation(IsolationLevel changed) {
    return new UnitSpec(name, changed, policy, check);
  }

  UnitSpec withPolicy(RetryPolicy changed) {
    return new UnitSpec(name, requested, changed, check);
  }

  UnitSpec withCheck(CommitCheck changed) {
    return new UnitSpec(name, requested, policy, changed);
  }
}
