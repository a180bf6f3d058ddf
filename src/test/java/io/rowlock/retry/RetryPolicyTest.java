package io.rowlock.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetryPolicyTest {

  private final RetryPolicy defaults = RetryPolicy.defaults();

  @Test
  void aborts_by_the_server_are_run_again_and_nothing_else_unless_asked_for() {
    EnumSet<FailureKind> again = EnumSet.noneOf(FailureKind.class);
    for (FailureKind kind : FailureKind.values()) {
      if (defaults.runsAgainAfter(new Failure(kind, null, "some_key"))) {
        again.add(kind);
      }
    }

    assertThat(again)
        .containsExactlyInAnyOrder(FailureKind.SERIALIZATION_FAILURE, FailureKind.DEADLOCK);
  }

  @Test
  void a_policy_is_a_value_that_is_never_changed() {
    defaults
        .withMaxAttempts(3)
        .withDeadline(Duration.ofSeconds(1))
        .withBackoff(Backoff.none())
        .alsoAfter(FailureKind.OPTIMISTIC_LOCK)
        .alsoAfterViolationOf("some_key");

    assertThat(defaults.maxAttempts()).isEqualTo(RetryPolicy.DEFAULT_MAX_ATTEMPTS);
    assertThat(defaults.deadline()).contains(RetryPolicy.DEFAULT_DEADLINE);
    assertThat(defaults.backoff()).isEqualTo(Backoff.defaults());
    assertThat(defaults.runsAgainAfter(failure(FailureKind.OPTIMISTIC_LOCK))).isFalse();
  }

  @Test
  void each_change_keeps_all_others() {
    RetryPolicy changed =
        defaults
            .alsoAfterViolationOf("some_key")
            .alsoAfter(FailureKind.LOCK_NOT_AVAILABLE)
            .withBackoff(Backoff.none())
            .withMaxAttempts(3)
            .withDeadline(Duration.ofSeconds(1));

    assertThat(changed.maxAttempts()).isEqualTo(3);
    assertThat(changed.deadline()).contains(Duration.ofSeconds(1));
    assertThat(changed.backoff()).isEqualTo(Backoff.none());
    assertThat(changed.runsAgainAfter(failure(FailureKind.LOCK_NOT_AVAILABLE))).isTrue();
    assertThat(changed.runsAgainAfter(failure(FailureKind.DEADLOCK))).isTrue();
    assertThat(changed.withoutDeadline().deadline()).isEmpty();
    assertThat(changed.withoutDeadline().maxAttempts()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource(names = {"OPTIMISTIC_LOCK", "LOCK_NOT_AVAILABLE", "CONNECTION_LOST"})
  void these_can_be_asked_for(FailureKind kind) {
    assertThat(defaults.alsoAfter(kind).runsAgainAfter(failure(kind))).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"SERIALIZATION_FAILURE", "DEADLOCK"})
  void asking_for_what_is_always_done_changes_nothing(FailureKind kind) {
    assertThat(defaults.alsoAfter(kind)).hasToString(defaults.toString());
  }

  @ParameterizedTest
  @EnumSource(names = {"QUERY_CANCELED", "OTHER"})
  void these_cannot_be_asked_for(FailureKind kind) {
    assertThatThrownBy(() -> defaults.alsoAfter(kind))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(kind.name())
        .hasMessageContaining("OPTIMISTIC_LOCK")
        .hasMessageContaining("LOCK_NOT_AVAILABLE");
  }

  @Test
  void a_unique_violation_is_asked_for_by_the_name_of_its_constraint_only() {
    RetryPolicy policy =
        defaults.alsoAfterViolationOf("some_key").alsoAfterViolationOf("other_key");

    assertThat(policy.runsAgainAfter(violationOf("some_key"))).isTrue();
    assertThat(policy.runsAgainAfter(violationOf("other_key"))).isTrue();
    assertThat(policy.runsAgainAfter(violationOf("third_key"))).isFalse();
    assertThat(policy.runsAgainAfter(violationOf(null))).isFalse();
    assertThatThrownBy(() -> defaults.alsoAfter(FailureKind.UNIQUE_VIOLATION))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("alsoAfterViolationOf");
    assertThatThrownBy(() -> defaults.alsoAfterViolationOf(" "))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void at_least_one_attempt_is_needed() {
    assertThat(defaults.withMaxAttempts(1).maxAttempts()).isOne();
    assertThatThrownBy(() -> defaults.withMaxAttempts(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 0");
  }

  @Test
  void a_deadline_is_what_postgresql_can_be_told() {
    assertThat(defaults.withDeadline(Duration.ofMillis(1)).deadline()).isPresent();
    assertThat(defaults.withDeadline(Duration.ofDays(24)).deadline()).isPresent();
    assertThatThrownBy(() -> defaults.withDeadline(Duration.ofNanos(999_999)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("withoutDeadline()");
    assertThatThrownBy(() -> defaults.withDeadline(Duration.ofDays(24).plusNanos(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Failure failure(FailureKind kind) {
    return new Failure(kind, null, null);
  }

  private static Failure violationOf(String constraint) {
    return new Failure(FailureKind.UNIQUE_VIOLATION, "23505", constraint);
  }
}
