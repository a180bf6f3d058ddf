package io.rowlock;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The connection was lost while COMMIT was under way, and what has become of the transaction could
 * not be found out: it may have been committed or rolled back. The unit is not run again. Find out
 * by {@link #question()}, on the primary server, or look for the unit's effects, before repeating
 * it. The cause is the failure of COMMIT; failures of the attempts before are suppressed.
 */
public final class CommitOutcomeUnknownException extends RowlockException {

  private static final long serialVersionUID = 1L;

  private final UnitInfo unit;
  private final @Nullable String transactionId;

  /** Made by Rowlock. */
  public CommitOutcomeUnknownException(
      UnitInfo unit, @Nullable String transactionId, String why, Throwable cause) {
    super(
        "The connection was lost during COMMIT of unit of work "
            + unit
            + ", and it is not known whether it was committed: "
            + why
            + ". It was not run again; "
            + (transactionId == null
                ? "look for its effects before repeating it"
                : "before repeating it, find out on the same server by " + question(transactionId))
            + ". The failure: "
            + cause.getMessage(),
        cause);
    this.unit = unit;
    this.transactionId = transactionId;
  }

  /** The unit and its attempt. */
  public UnitInfo unit() {
    return unit;
  }

  /** The transaction's id ({@code xid8}), if it is known. */
  public Optional<String> transactionId() {
    return Optional.ofNullable(transactionId);
  }

  /**
   * The SQL that asks for the outcome, if the transaction's id is known. It answers {@code
   * committed}, {@code aborted}, {@code in progress} (ask again later), or null if it was too long
   * ago. It means something only on the server that ran the transaction, unless that has crashed in
   * the meantime, or one that replicates it synchronously.
   */
  public Optional<String> question() {
    return transactionId().map(CommitOutcomeUnknownException::question);
  }

  private static String question(String transactionId) {
    return "select pg_xact_status('" + transactionId + "'::xid8)";
  }
}
