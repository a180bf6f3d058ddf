package io.rowlock.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {

  private final Backoff backoff = new Backoff(Duration.ofMillis(10), Duration.ofMillis(65));

  @Test
  void the_longest_pause_doubles_with_each_failed_attempt_up_to_the_bound() {
    assertThat(IntStream.rangeClosed(1, 5).mapToLong(n -> backoff.bound(n).toMillis()))
        .containsExactly(10L, 20L, 40L, 65L, 65L);
  }

  @Test
  void the_bound_holds_for_any_number_of_attempts_without_overflow() {
    Backoff longest = new Backoff(Duration.ofNanos(1), Duration.ofDays(1));

    assertThat(longest.bound(Integer.MAX_VALUE)).isEqualTo(Duration.ofDays(1));
    assertThat(longest.bound(40)).isEqualTo(Duration.ofNanos(1L << 39));
  }

  @Test
  void pauses_are_spread_from_zero_to_the_bound() {
    Random random = new Random(1);
    double[] pauses =
        IntStream.range(0, 10_000)
            .mapToDouble(i -> backoff.pause(3, random).toNanos() / 1e6)
            .toArray();

    assertThat(DoubleStream.of(pauses)).allMatch(pause -> pause >= 0 && pause <= 40);
    assertThat(IntStream.range(0, 10_000).filter(i -> pauses[i] < 10).count())
        .as("a quarter of them in the first quarter")
        .isBetween(2_300L, 2_700L);
  }

  @Test
  void no_pause_is_no_pause() {
    assertThat(Backoff.none().pause(30, new Random(1))).isZero();
  }

  @Test
  void a_pause_cannot_be_negative() {
    assertThatThrownBy(() -> new Backoff(Duration.ofMillis(-1), Duration.ofMillis(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("negative");
  }

  @Test
  void the_longest_pause_cannot_be_shorter_than_the_first_one() {
    assertThatThrownBy(() -> new Backoff(Duration.ofMillis(2), Duration.ofMillis(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PT0.001S")
        .hasMessageContaining("PT0.002S");
  }

  @Test
  void a_pause_of_more_than_a_day_is_a_mistake() {
    assertThatThrownBy(() -> new Backoff(Duration.ZERO, Duration.ofDays(1).plusNanos(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("over a day");
  }

  @Test
  void attempts_are_counted_from_one() {
    assertThatThrownBy(() -> backoff.bound(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
