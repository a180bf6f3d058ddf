package io.rowlock.faults;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads a failure for the suite, by other code than the library's. */
final class Symptom {

  private Symptom() {}

  /** The failure, its causes and next exceptions; nothing that is merely suppressed. */
  static List<Throwable> chain(Throwable failure) {
    List<Throwable> chain = new ArrayList<>();
    collect(failure, chain);
    return chain;
  }

  private static void collect(Throwable link, List<Throwable> chain) {
    if (link == null || chain.contains(link)) {
      return;
    }
    chain.add(link);
    if (link instanceof SQLException sql) {
      collect(sql.getNextException(), chain);
    }
    collect(link.getCause(), chain);
  }

  /** Whether a SQLSTATE in the chain begins with one of these. */
  static boolean hasState(Throwable failure, String... prefixes) {
    for (Throwable link : chain(failure)) {
      if (link instanceof SQLException sql && sql.getSQLState() != null) {
        for (String prefix : prefixes) {
          if (sql.getSQLState().startsWith(prefix)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Whether the connection, or the server, was lost. */
  static boolean isConnectionLost(Throwable failure) {
    return hasState(failure, "08", "57P01", "57P02", "57P03");
  }

  /** Whether the transaction lost a conflict that is always run again. */
  static boolean isConflict(Throwable failure) {
    return hasState(failure, "40001", "40P01");
  }

  /** Whether something of this type is in the chain. */
  static boolean has(Throwable failure, Class<?> type) {
    return chain(failure).stream().anyMatch(type::isInstance);
  }
}
