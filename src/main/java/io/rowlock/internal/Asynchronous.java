package io.rowlock.internal;

import io.rowlock.UnitInfo;
import io.rowlock.UnitMisuseException;
import java.util.Set;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Answers that come before the work is done: futures and publishers. A unit of work that gives one
 * would commit while the work is under way, and could not run it again. Safe for use by any thread.
 */
public final class Asynchronous {

  /** By name, since not all of them are in sight. */
  private static final Set<String> TYPES =
      Set.of(
          "java.util.concurrent.CompletionStage",
          "java.util.concurrent.Future",
          "java.util.concurrent.Flow$Publisher",
          "org.reactivestreams.Publisher",
          "io.smallrye.mutiny.Uni",
          "io.smallrye.mutiny.Multi",
          "io.reactivex.rxjava3.core.Single",
          "io.reactivex.rxjava3.core.Maybe",
          "io.reactivex.rxjava3.core.Completable",
          "io.reactivex.rxjava3.core.Observable");

  private static final ClassValue<Boolean> KNOWN =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return inherits(type);
        }
      };

  private Asynchronous() {}

  /** Whether this is the name of such a type itself; its subtypes have others. */
  public static boolean isNamed(String type) {
    return TYPES.contains(type);
  }

  /** Whether what is declared as this type comes before the work is done. */
  public static boolean is(Class<?> type) {
    return KNOWN.get(type);
  }

  private static boolean inherits(@Nullable Class<?> type) {
    if (type == null) {
      return false;
    }
    if (isNamed(type.getName()) || inherits(type.getSuperclass())) {
      return true;
    }
    for (Class<?> parent : type.getInterfaces()) {
      if (inherits(parent)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Checks what a unit's function has answered.
   *
   * @throws UnitMisuseException if it is such an answer, and not a future that is done
   */
  static void refuse(UnitInfo unit, @Nullable Object answer) {
    if (answer == null || !is(answer.getClass())) {
      return;
    }
    if (answer instanceof Future<?> future && future.isDone()) {
      return;
    }
    throw new UnitMisuseException(
        "Unit of work "
            + unit
            + " answered a "
            + answer.getClass().getName()
            + ", which is not done: a unit's transaction ends when its function returns, so its work must be"
            + " done by then, on the same thread. Answer the result, and make the future around the unit",
        null);
  }
}
