package io.rowlock.internal.postgres;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Looks for something among the causes of a failure; chains of causes may have cycles. Stateless.
 */
public final class Causes {

  private static final int DEEPEST = 100;

  private Causes() {}

  /** Whether the failure is such a one, or one of its causes is; takes no memory. */
  public static boolean any(Throwable failure, Predicate<Throwable> such) {
    Throwable link = failure;
    for (int i = 0; i < DEEPEST && link != null; i++) {
      if (such.test(link)) {
        return true;
      }
      link = link.getCause();
    }
    return false;
  }

  /** The same, and among suppressed exceptions too. */
  public static boolean anyWithSuppressed(Throwable failure, Predicate<Throwable> such) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Throwable> open = new ArrayDeque<>(List.of(failure));
    while (!open.isEmpty()) {
      Throwable link = open.pop();
      if (such.test(link)) {
        return true;
      }
      if (seen.add(link)) {
        open.addAll(List.of(link.getSuppressed()));
        if (link.getCause() != null) {
          open.add(link.getCause());
        }
      }
    }
    return false;
  }
}
