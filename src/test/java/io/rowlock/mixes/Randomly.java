package io.rowlock.mixes;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks a property over random cases, each a list of steps. A case that fails is made smaller, by
 * leaving out halves, quarters and so on, as long as what is left fails too; since threads do not
 * run the same way twice, each smaller case is tried three times. The failure tells the seed.
 *
 * <p>{@code -Drowlock.mix.cases=1000} runs so many cases, {@code -Drowlock.mix.seed=...} starts
 * with that one.
 */
final class Randomly {

  private static final int TRIES = 3;
  private static final long SHRINKING_NANOS = 30_000_000_000L;

  private Randomly() {}

  /** What must hold of every case. */
  @FunctionalInterface
  interface Property<S> {
    void holds(List<S> steps) throws Exception;
  }

  static <S> void check(int cases, Function<Random, List<S>> generator, Property<S> property) {
    long seed = Long.getLong("rowlock.mix.seed", System.nanoTime());
    int count = Integer.getInteger("rowlock.mix.cases", cases);
    for (long of = seed; of < seed + count; of++) {
      List<S> steps = generator.apply(new Random(of));
      Throwable failure = failure(property, steps);
      if (failure != null) {
        throw smallest(steps, failure, property, "-Drowlock.mix.seed=" + of);
      }
    }
  }

  private static <S> AssertionError smallest(
      List<S> failing, Throwable failed, Property<S> property, String seed) {
    List<S> steps = failing;
    Throwable failure = failed;
    long end = System.nanoTime() + SHRINKING_NANOS;
    int part = steps.size() / 2;
    int from = 0;
    while (part > 0 && System.nanoTime() < end) {
      List<S> fewer = new ArrayList<>(steps.subList(0, from));
      fewer.addAll(steps.subList(Math.min(from + part, steps.size()), steps.size()));
      Throwable again = null;
      for (int i = 0; i < TRIES && again == null && !fewer.isEmpty(); i++) {
        again = failure(property, fewer);
      }
      if (again != null) {
        failure = again;
        steps = fewer;
      } else {
        from += part;
      }
      if (from >= steps.size()) {
        from = 0;
        part = Math.min(part / 2, steps.size() / 2);
      }
    }
    return new AssertionError(
        "Run with "
            + seed
            + ": "
            + failing.size()
            + " steps fail, and so do these "
            + steps.size()
            + ":\n"
            + steps.stream().map(Object::toString).collect(Collectors.joining("\n")),
        failure);
  }

  private static <S> @Nullable Throwable failure(Property<S> property, List<S> steps) {
    try {
      property.holds(steps);
      return null;
    } catch (Exception | AssertionError e) {
      return e;
    }
  }
}
