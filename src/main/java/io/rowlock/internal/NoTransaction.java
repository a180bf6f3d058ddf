package io.rowlock.internal;

/** Says that a unit in a container has no transaction. */
final class NoTransaction {

  private NoTransaction() {}

  static IllegalStateException of(String unit) {
    return new IllegalStateException(
        "Unit of work '"
            + unit
            + "' has no active transaction: add @Transactional (REQUIRED, REQUIRES_NEW or MANDATORY) to the"
            + " method or its class, beside @RetryTransaction");
  }
}
