package io.rowlock.retry;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How often, how long and after which failures a unit of work is run again.
 *
 * <p>A serialization failure (40001) and a deadlock (40P01) are always run again. More can be opted
 * in: {@link FailureKind#OPTIMISTIC_LOCK}, {@link FailureKind#LOCK_NOT_AVAILABLE}, {@link
 * FailureKind#CONNECTION_LOST} and the violation of named unique constraints. Every other failure
 * leaves at once, as it was thrown.
 *
 * <p>Immutable: each method answers a changed copy. Safe for use by any thread.
 */
public final class RetryPolicy {

  /** How many attempts a policy allows unless told otherwise. */
  public static final int DEFAULT_MAX_ATTEMPTS = 50;

  /** How long all attempts together may take unless told otherwise. */
  public static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(30);

  private static final Set<FailureKind> ALWAYS =
      Collections.unmodifiableSet(
          EnumSet.of(FailureKind.SERIALIZATION_FAILURE, FailureKind.DEADLOCK));

  private static final Set<FailureKind> OPTIONAL =
      Collections.unmodifiableSet(
          EnumSet.of(
              FailureKind.OPTIMISTIC_LOCK,
              FailureKind.LOCK_NOT_AVAILABLE,
              FailureKind.CONNECTION_LOST));

  private static final RetryPolicy DEFAULTS =
      new RetryPolicy(DEFAULT_MAX_ATTEMPTS, DEFAULT_DEADLINE, Backoff.defaults(), ALWAYS, Set.of());

  private final int maxAttempts;
  private final @Nullable Duration deadline;
  private final Backoff backoff;
  private final Set<FailureKind> kinds;
  private final Set<String> constraints;

  private RetryPolicy(
      int maxAttempts,
      @Nullable Duration deadline,
      Backoff backoff,
      Set<FailureKind> kinds,
      Set<String> constraints) {
    this.maxAttempts = maxAttempts;
    this.deadline = deadline;
    this.backoff = backoff;
    this.kinds = kinds;
    this.constraints = constraints;
  }

  /**
   * 50 attempts within 30 seconds, pauses from 10 milliseconds to half a second, 40001 and 40P01
   * only.
   */
  public static RetryPolicy defaults() {
    return DEFAULTS;
  }

  /**
   * The same with another number of attempts, the first one included. Default: 50.
   *
   * @param attempts at least one; one stands for no rerun
   * @throws IllegalArgumentException if it is less than one
   */
  public RetryPolicy withMaxAttempts(int attempts) {
    if (attempts < 1) {
      throw new IllegalArgumentException(
          "A unit of work needs at least one attempt, not "
              + attempts
              + "; one stands for no rerun");
    }
    return new RetryPolicy(attempts, deadline, backoff, kinds, constraints);
  }

  /**
   * The same with another deadline over all attempts and pauses, counted from the first attempt's
   * start. It also bounds {@code lock_timeout} and {@code statement_timeout} of each attempt.
   * Default: 30 seconds.
   *
   * @param limit at least one millisecond, at most 24 days (PostgreSQL's timeouts hold no more)
   * @throws IllegalArgumentException if it is shorter or longer
   */
  public RetryPolicy withDeadline(Duration limit) {
    Objects.requireNonNull(limit, "limit");
    if (limit.toMillis() < 1 || limit.compareTo(Duration.ofDays(24)) > 0) {
      throw new IllegalArgumentException(
          "A deadline is from one millisecond to 24 days, not "
              + limit
              + "; use withoutDeadline() for none");
    }
    return new RetryPolicy(maxAttempts, limit, backoff, kinds, constraints);
  }

  /** The same without a deadline: only the number of attempts bounds the unit. */
  public RetryPolicy withoutDeadline() {
    return new RetryPolicy(maxAttempts, null, backoff, kinds, constraints);
  }

  /** The same with other pauses. Default: from 10 milliseconds to half a second. */
  public RetryPolicy withBackoff(Backoff pauses) {
    return new RetryPolicy(
        maxAttempts, deadline, Objects.requireNonNull(pauses, "pauses"), kinds, constraints);
  }

  /**
   * The same, running again after failures of a further kind too.
   *
   * @param kind {@link FailureKind#OPTIMISTIC_LOCK}, {@link FailureKind#LOCK_NOT_AVAILABLE} or
   *     {@link FailureKind#CONNECTION_LOST}, which then covers connections lost before COMMIT was
   *     sent, or not to be had; the kinds that are always run again are accepted and change nothing
   * @throws IllegalArgumentException for every other kind: a rerun would repeat a lasting failure,
   *     or could apply something twice
   */
  public RetryPolicy alsoAfter(FailureKind kind) {
    Objects.requireNonNull(kind, "kind");
    if (kind == FailureKind.UNIQUE_VIOLATION) {
      throw new IllegalArgumentException(
          "A unique violation is run again only for constraints that are named: use"
              + " alsoAfterViolationOf(constraint)");
    }
    if (!ALWAYS.contains(kind) && !OPTIONAL.contains(kind)) {
      throw new IllegalArgumentException(
          "A failure of kind " + kind + " is never run again; to choose from: " + OPTIONAL);
    }
    EnumSet<FailureKind> more = EnumSet.copyOf(kinds);
    more.add(kind);
    return new RetryPolicy(
        maxAttempts, deadline, backoff, Collections.unmodifiableSet(more), constraints);
  }

  /**
   * The same, running again after a violation (23505) of the named unique constraint too.
   *
   * @param constraint the constraint's or unique index's name as the server reports it
   * @throws IllegalArgumentException if the name is blank
   */
  public RetryPolicy alsoAfterViolationOf(String constraint) {
    if (constraint.isBlank()) {
      throw new IllegalArgumentException("The name of the unique constraint is blank");
    }
    Set<String> more = new LinkedHashSet<>(constraints);
    more.add(constraint);
    return new RetryPolicy(
        maxAttempts, deadline, backoff, kinds, Collections.unmodifiableSet(more));
  }

  /** The largest number of attempts, the first one included. */
  public int maxAttempts() {
    return maxAttempts;
  }

  /** The time that all attempts and pauses together may take; empty stands for none. */
  public Optional<Duration> deadline() {
    return Optional.ofNullable(deadline);
  }

  /** The pauses between attempts. */
  public Backoff backoff() {
    return backoff;
  }

  /** Whether a unit that ended with this failure may run again, bounds aside. */
  public boolean runsAgainAfter(Failure failure) {
    String constraint = failure.constraint();
    return kinds.contains(failure.kind())
        || (failure.kind() == FailureKind.UNIQUE_VIOLATION
            && constraint != null
            && constraints.contains(constraint));
  }

  @Override
  public String toString() {
    return "RetryPolicy[maxAttempts="
        + maxAttempts
        + ", deadline="
        + (deadline == null ? "none" : deadline)
        + ", backoff="
        + backoff
        + ", kinds="
        + kinds
        + ", constraints="
        + constraints
        + "]";
  }
}
