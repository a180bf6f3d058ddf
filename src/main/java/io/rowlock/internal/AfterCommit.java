package io.rowlock.internal;

import io.rowlock.internal.hibernate.TransactionEvents;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction's work has put off until it has committed. Used by one thread at a time: that
 * of the unit, or the one that ends a transaction begun elsewhere.
 */
final class AfterCommit implements TransactionEvents {

  private static final System.Logger LOGGER = System.getLogger(AfterCommit.class.getName());

  private final List<Runnable> work = new ArrayList<>();

  /** Puts work off. */
  void add(Runnable more) {
    work.add(more);
  }

  /** Drops everything. */
  void clear() {
    work.clear();
  }

  /** Runs everything, once; answers the first failure with the further ones suppressed, or null. */
  @Nullable Throwable run() {
    List<Runnable> all = List.copyOf(work);
    work.clear();
    Throwable first = null;
    for (Runnable each : all) {
      try {
        each.run();
      } catch (Throwable e) {
        if (first == null) {
          first = e;
        } else if (first != e) {
          first.addSuppressed(e);
        }
      }
    }
    return first;
  }

  @Override
  public void begun() {}

  @Override
  public void beforeCommit() {}

  /**
   * Of a transaction begun elsewhere: whoever ends it must not take this for the commit's failure.
   */
  @Override
  public void ended(boolean committed) {
    Throwable failure = committed ? run() : null;
    if (failure != null) {
      LOGGER.log(
          Level.ERROR,
          "Work put off until after the commit of a transaction begun elsewhere has failed",
          failure);
    }
    clear();
  }
}
