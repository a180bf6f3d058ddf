package io.rowlock;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A unit of work took longer than its transaction manager allows (JTA's transaction timeout): the
 * manager rolled the transaction back before the function was done. Nothing was stored, and nothing
 * is run again. The cause is what the function threw then, if that is unchecked: it is taken for a
 * consequence. A checked exception of the function leaves as it was thrown, with this one
 * suppressed.
 *
 * <p>The remedy is a shorter unit, or a longer timeout: {@code
 * UserTransaction.setTransactionTimeout}, or the setting of the transaction manager. The unit's
 * deadline is no substitute: it neither shortens nor lengthens the manager's timeout.
 */
public final class TransactionTimeoutException extends RowlockException {

  private static final long serialVersionUID = 1L;

  private final UnitInfo unit;
  private final Duration elapsed;

  /** Made by Rowlock. */
  public TransactionTimeoutException(UnitInfo unit, Duration elapsed, @Nullable Throwable cause) {
    super(
        "Unit of work "
            + unit
            + " was still at work when its transaction manager rolled the transaction back, as it does"
            + " when the transaction timeout has passed (noticed "
            + elapsed.toMillis()
            + " ms after the transaction had begun); nothing was stored. Make the unit shorter, or raise the timeout:"
            + " UserTransaction.setTransactionTimeout, or the transaction manager's setting"
            + (cause == null ? "" : ". Then failed: " + cause.getMessage()),
        cause);
    this.unit = unit;
    this.elapsed = elapsed;
  }

  /** The unit and its attempt. */
  public UnitInfo unit() {
    return unit;
  }

  /** The time from the transaction's begin until the timeout was noticed. */
  public Duration elapsed() {
    return elapsed;
  }
}
