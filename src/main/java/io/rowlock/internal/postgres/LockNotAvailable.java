package io.rowlock.internal.postgres;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Finds the server's word that a lock was not to be had. Stateless. */
public final class LockNotAvailable {

  private static final String STATE = "55P03";

  private LockNotAvailable() {}

  /** The database's failure among the causes, if it is of this kind. */
  public static @Nullable SQLException in(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql) {
        return STATE.equals(sql.getSQLState()) ? sql : null;
      }
    }
    return null;
  }
}
