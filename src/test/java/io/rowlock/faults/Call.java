package io.rowlock.faults;

import io.rowlock.IsolationLevel;
import java.util.List;
import java.util.Map;

/**
 * What one call of Rowlock is to do, once, whatever happens to its attempts.
 *
 * @param token names the call in the journal
 * @param isolation at which level
 * @param counters what is added to which counter
 * @param from the account that pays
 * @param to the account that is paid
 * @param amount how much
 * @param form by which operation the labels are created
 * @param codes the labels
 * @param reading whether the ledger's total is read, too
 * @param persistent whether it is run again when a connection is lost before COMMIT
 */
record Call(
    String token,
    IsolationLevel isolation,
    Map<String, Integer> counters,
    long from,
    long to,
    int amount,
    Form form,
    List<String> codes,
    boolean reading,
    boolean persistent) {

  /** The operations that create once. */
  enum Form {
    GET,
    GET_ALL,
    INSERT,
    INSERT_ALL,
    UPSERT,
    UPSERT_ALL;

    boolean upserts() {
      return this == UPSERT || this == UPSERT_ALL;
    }
  }
}
