package io.rowlock.internal.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ArrayTextTest {

  @Test
  void numbers_and_uuids_stand_as_they_are() {
    UUID id = new UUID(1, 2);
    assertThat(ArrayText.of(List.of(1L, -2, (short) 3, new BigDecimal("1.50"), id)))
        .isEqualTo("{1,-2,3,1.50,00000000-0000-0001-0000-000000000002}");
    assertThat(ArrayText.of(List.of())).isEqualTo("{}");
  }

  @Test
  void text_is_quoted_and_what_means_something_in_an_array_is_escaped() {
    assertThat(ArrayText.of(List.of("a", "", "NULL", "{,}", "\"", "\\", 'c')))
        .isEqualTo("{\"a\",\"\",\"NULL\",\"{,}\",\"\\\"\",\"\\\\\",\"c\"}");
  }

  @Test
  void bytes_are_hexadecimal() {
    assertThat(ArrayText.of(List.of(new byte[] {0, -1}))).isEqualTo("{\"\\\\x00ff\"}");
  }

  @Test
  void times_are_as_postgresql_reads_them() {
    assertThat(
            ArrayText.of(
                List.of(
                    LocalDate.EPOCH,
                    java.sql.Date.valueOf("1970-01-01"),
                    LocalDateTime.of(1970, 1, 1, 0, 0),
                    Timestamp.valueOf("1970-01-01 00:00:00.5"),
                    Instant.EPOCH,
                    true)))
        .isEqualTo(
            "{\"1970-01-01\",\"1970-01-01\",\"1970-01-01T00:00\",\"1970-01-01T00:00:00.500\","
                + "\"1970-01-01T00:00:00Z\",true}");
  }

  @Test
  void other_classes_have_no_text_form() {
    assertThat(ArrayText.supports(LocalTime.class)).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ArrayText.of(List.of(LocalTime.NOON)))
        .withMessageContaining("12:00");
  }
}
