package io.rowlock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.CommitTracking;
import io.rowlock.IsolationLevel;
import io.rowlock.retry.Backoff;
import io.rowlock.retry.RetryPolicy;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

  @Test
  void without_settings_the_defaults_are_used() {
    Settings settings = Settings.read(Map.of("hibernate.show_sql", "true"));

    assertThat(settings.policy()).hasToString(RetryPolicy.defaults().toString());
    assertThat(settings.isolation()).isEqualTo(IsolationLevel.READ_COMMITTED);
    assertThat(settings.tracking()).isEqualTo(CommitTracking.QUERY);
  }

  @Test
  void every_setting_is_read() {
    Settings settings =
        Settings.read(
            Map.of(
                "rowlock.attempts", " 7 ",
                "rowlock.backoff.initial", "250ms",
                "rowlock.backoff.max", "PT2S",
                "rowlock.deadline", "5min",
                "rowlock.isolation", "repeatable read",
                "rowlock.commit-tracking", "assign"));

    assertThat(settings.policy().maxAttempts()).isEqualTo(7);
    assertThat(settings.policy().backoff())
        .isEqualTo(new Backoff(Duration.ofMillis(250), Duration.ofSeconds(2)));
    assertThat(settings.policy().deadline()).contains(Duration.ofMinutes(5));
    assertThat(settings.isolation()).isEqualTo(IsolationLevel.REPEATABLE_READ);
    assertThat(settings.tracking()).isEqualTo(CommitTracking.ASSIGN);
  }

  @Test
  void values_of_their_own_types_will_do() {
    Settings settings =
        Settings.read(
            Map.of(
                "rowlock.attempts",
                7,
                "rowlock.deadline",
                Duration.ofSeconds(3),
                "rowlock.isolation",
                IsolationLevel.SERIALIZABLE));

    assertThat(settings.policy().maxAttempts()).isEqualTo(7);
    assertThat(settings.policy().deadline()).contains(Duration.ofSeconds(3));
    assertThat(settings.isolation()).isEqualTo(IsolationLevel.SERIALIZABLE);
  }

  @Test
  void the_deadline_can_be_left_out() {
    assertThat(Settings.read(Map.of("rowlock.deadline", "None")).policy().deadline()).isEmpty();
  }

  @Test
  void a_first_pause_that_is_longer_than_the_longest_one_of_the_defaults_raises_that() {
    assertThat(Settings.read(Map.of("rowlock.backoff.initial", "3s")).policy().backoff())
        .isEqualTo(new Backoff(Duration.ofSeconds(3), Duration.ofSeconds(3)));
  }

  @ParameterizedTest
  @CsvSource({
    "250ms, 250",
    "10s, 10000",
    "5min, 300000",
    "2h, 7200000",
    "PT0.5S, 500",
    "pt1m, 60000",
    "' 10 s ', 10000",
    "10S, 10000"
  })
  void durations_are_written_in_either_way(String text, long milliseconds) {
    assertThat(Durations.parse(text)).hasMillis(milliseconds);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10", "ten", "10m", "-5s", "", "1.5s", "PT", "99999999999999999999s"})
  void what_is_no_duration_is_refused(String text) {
    assertThatThrownBy(() -> Settings.read(Map.of("rowlock.deadline", text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rowlock.deadline")
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("250ms");
  }

  @ParameterizedTest
  @CsvSource({
    "rowlock.attempts, many, whole number",
    "rowlock.attempts, 0, at least one attempt",
    "rowlock.deadline, 0s, one millisecond",
    "rowlock.deadline, 600h, 24 days",
    "rowlock.isolation, chaos, SERIALIZABLE",
    "rowlock.commit-tracking, chaos, ASSIGN",
    "rowlock.backoff.max, 5ms, shorter than its first one",
    "rowlock.backoff.initial, PT-1S, negative"
  })
  void a_malformed_value_is_refused_with_the_setting_and_what_is_needed(
      String key, String value, String need) {
    assertThatThrownBy(() -> Settings.read(Map.of(key, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(key)
        .hasMessageContaining(need);
  }

  @Test
  void an_unknown_setting_is_refused_and_the_known_ones_are_listed() {
    assertThatThrownBy(() -> Settings.read(Map.of("rowlock.attemps", "3", "rowlock.retries", "3")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[rowlock.attemps, rowlock.retries]")
        .hasMessageContaining("rowlock.attempts")
        .hasMessageContaining("rowlock.backoff.initial")
        .hasMessageContaining("rowlock.backoff.max")
        .hasMessageContaining("rowlock.deadline")
        .hasMessageContaining("rowlock.isolation");
  }

  @Test
  void a_system_property_of_somebody_else_is_left_alone() {
    System.setProperty("rowlock.url", "jdbc:postgresql:");
    try {
      assertThat(Settings.read(Map.of("rowlock.url", "jdbc:postgresql:"))).isNotNull();
      assertThatThrownBy(() -> Settings.read(Map.of("rowlock.url", "another value")))
          .isInstanceOf(IllegalArgumentException.class);
    } finally {
      System.clearProperty("rowlock.url");
    }
  }
}
