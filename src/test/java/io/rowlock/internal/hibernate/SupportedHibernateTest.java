package io.rowlock.internal.hibernate;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SupportedHibernateTest {

  @ParameterizedTest
  @ValueSource(strings = {"7.1.0.Final", "7.4.15.Final", "7.10.0.CR1", "8.0.0.Beta1", "[WORKING]"})
  void a_version_that_is_new_enough_or_unknown_is_let_through(String version) {
    assertThatCode(() -> SupportedHibernate.check(version)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"7.0.10.Final", "6.6.9.Final", "5.6.15.Final"})
  void an_older_one_is_refused_with_what_was_found_and_what_is_needed(String version) {
    assertThatThrownBy(() -> SupportedHibernate.check(version))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(version)
        .hasMessageContaining("7.1");
  }

  @Test
  void the_one_on_the_class_path_will_do() {
    assertThatCode(SupportedHibernate::check).doesNotThrowAnyException();
  }
}
