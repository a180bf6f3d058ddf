package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.TransactionMark;
import org.hibernate.engine.spi.SessionImplementor;
import org.jspecify.annotations.Nullable;

/**
 * The mark of a session's transaction that one of Rowlock's statements has carried, so that none is
 * needed before COMMIT. Kept with the session, as one of its properties. Stateless.
 */
final class CarriedMark {

  private static final String PROPERTY = "io.rowlock.transaction-mark";

  private CarriedMark() {}

  /** Keeps it; null if the transaction had no id yet. */
  static void note(SessionImplementor session, @Nullable Object carried) {
    if (carried != null && session.isTransactionInProgress()) {
      session.setProperty(PROPERTY, carried);
    }
  }

  /** What was kept, null if there is nothing. */
  static @Nullable TransactionMark of(SessionImplementor session) {
    return session.getProperties().get(PROPERTY) instanceof String carried
        ? TransactionMark.carried(carried)
        : null;
  }
}
