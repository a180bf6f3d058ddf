package io.rowlock.internal;

import io.rowlock.CommitTracking;
import io.rowlock.IsolationLevel;
import io.rowlock.internal.hibernate.HibernateFactory;
import io.rowlock.retry.Backoff;
import io.rowlock.retry.RetryPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What units of work start from.
 *
 * @param policy the retry policy
 * @param isolation the isolation level
 * @param tracking how the ids of transactions are learnt
 */
record Settings(RetryPolicy policy, IsolationLevel isolation, CommitTracking tracking) {

  static final String ATTEMPTS = "rowlock.attempts";
  static final String BACKOFF_INITIAL = "rowlock.backoff.initial";
  static final String BACKOFF_MAX = "rowlock.backoff.max";
  static final String DEADLINE = "rowlock.deadline";
  static final String ISOLATION = "rowlock.isolation";
  static final String COMMIT_TRACKING = "rowlock.commit-tracking";

  private static final String PREFIX = "rowlock.";
  private static final List<String> KNOWN =
      List.of(
          ATTEMPTS,
          BACKOFF_INITIAL,
          BACKOFF_MAX,
          DEADLINE,
          ISOLATION,
          COMMIT_TRACKING,
          HibernateFactory.LOCK_ORDER);
  private static final String NONE = "none";

  static final Settings DEFAULTS =
      new Settings(RetryPolicy.defaults(), IsolationLevel.READ_COMMITTED, CommitTracking.QUERY);

  /**
   * Reads the {@code rowlock.*} properties of a persistence unit. Hibernate mixes the system
   * properties in; one of those that is not known is somebody else's and left alone.
   *
   * @throws IllegalArgumentException if one is unknown or malformed
   */
  static Settings read(Map<String, Object> properties) {
    Map<String, Object> ours = new LinkedHashMap<>();
    properties.forEach(
        (key, value) -> {
          if (key.startsWith(PREFIX) && value != null && !isUnknownSystemProperty(key, value)) {
            ours.put(key, value);
          }
        });
    refuseUnknown(ours.keySet());
    return new Settings(policy(ours), isolation(ours), tracking(ours));
  }

  private static boolean isUnknownSystemProperty(String key, Object value) {
    return !KNOWN.contains(key) && Objects.equals(System.getProperty(key), value);
  }

  private static void refuseUnknown(Set<String> keys) {
    List<String> unknown = keys.stream().filter(key -> !KNOWN.contains(key)).sorted().toList();
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "Unknown settings of Rowlock: " + unknown + "; known are " + KNOWN);
    }
  }

  private static RetryPolicy policy(Map<String, Object> properties) {
    RetryPolicy policy = RetryPolicy.defaults();
    Object attempts = properties.get(ATTEMPTS);
    if (attempts != null) {
      policy =
          with(ATTEMPTS, attempts, policy.withMaxAttempts(1)::withMaxAttempts, Settings::number);
    }
    policy = policy.withBackoff(backoff(properties, policy.backoff()));
    Object deadline = properties.get(DEADLINE);
    if (deadline instanceof String text && text.strip().equalsIgnoreCase(NONE)) {
      return policy.withoutDeadline();
    }
    return deadline == null
        ? policy
        : with(DEADLINE, deadline, policy::withDeadline, Durations::parse);
  }

  private static Backoff backoff(Map<String, Object> properties, Backoff backoff) {
    Duration initial = duration(properties, BACKOFF_INITIAL);
    Duration max = duration(properties, BACKOFF_MAX);
    if (initial == null && max == null) {
      return backoff;
    }
    Duration first = initial == null ? backoff.initial() : initial;
    Duration longest = max == null ? longer(first, backoff.max()) : max;
    try {
      return new Backoff(first, longest);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "The settings " + BACKOFF_INITIAL + " and " + BACKOFF_MAX + ": " + e.getMessage(), e);
    }
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static @Nullable Duration duration(Map<String, Object> properties, String key) {
    Object value = properties.get(key);
    return value == null ? null : with(key, value, parsed -> parsed, Durations::parse);
  }

  private static IsolationLevel isolation(Map<String, Object> properties) {
    Object value = properties.get(ISOLATION);
    if (value == null) {
      return DEFAULTS.isolation;
    }
    return with(ISOLATION, value, level -> level, Settings::level);
  }

  private static IsolationLevel level(Object value) {
    String name = value.toString().strip().replace(' ', '_').replace('-', '_');
    try {
      return IsolationLevel.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "an isolation level is needed, one of " + Arrays.toString(IsolationLevel.values()), e);
    }
  }

  private static CommitTracking tracking(Map<String, Object> properties) {
    Object value = properties.get(COMMIT_TRACKING);
    if (value == null) {
      return DEFAULTS.tracking;
    }
    return with(COMMIT_TRACKING, value, tracking -> tracking, Settings::tracking);
  }

  private static CommitTracking tracking(Object value) {
    try {
      return CommitTracking.valueOf(value.toString().strip().toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "one of " + Arrays.toString(CommitTracking.values()) + " is needed", e);
    }
  }

  private static int number(Object value) {
    try {
      return Integer.parseInt(value.toString().strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("a whole number is needed", e);
    }
  }

  private static <V, R> R with(
      String key,
      Object value,
      java.util.function.Function<V, R> use,
      java.util.function.Function<Object, V> parse) {
    try {
      return use.apply(parse.apply(value));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "The setting " + key + " is '" + value + "': " + e.getMessage(), e);
    }
  }
}
