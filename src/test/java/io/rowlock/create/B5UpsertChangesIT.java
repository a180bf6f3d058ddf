package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Together;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** B5: what an upsert does with a row that is there, and under which conditions. */
class B5UpsertChangesIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create table reading (id bigint primary key, sensor text not null unique,"
              + " count integer, total numeric(10, 2), at timestamptz, first_at timestamptz,"
              + " ver integer not null)");

  static Rowlock rowlock;

  @Entity(name = "reading")
  static class Reading {
    @Id Long id;

    @Column(unique = true)
    String sensor;

    Integer count;
    BigDecimal total;
    Instant at;

    @Column(name = "first_at")
    Instant firstAt;

    @Version Integer ver;

    Reading() {}

    Reading(String sensor, Integer count, String total, Instant at) {
      this.id = (long) sensor.hashCode();
      this.sensor = sensor;
      this.count = count;
      this.total = total == null ? null : new BigDecimal(total);
      this.at = at;
      this.firstAt = at;
    }
  }

  /** The same is asked of the call for one candidate and of the one for many. */
  interface Form {
    UpsertResult<Reading> upsert(Reading candidate, Upsert how);
  }

  static Stream<Named<Form>> forms() {
    return Stream.of(
        Named.of("one", (candidate, how) -> rowlock.call(work -> work.upsert(candidate, how))),
        Named.of(
            "many",
            (candidate, how) ->
                rowlock.call(
                    work ->
                        work.upsertAll(
                                List.of(new Reading("other", 1, "1", Instant.EPOCH), candidate),
                                how)
                            .get(1))));
  }

  @BeforeAll
  static void open() {
    rowlock = Rowlock.of(db.unit(Reading.class).open().factory());
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate reading");
  }

  @ParameterizedTest
  @MethodSource("forms")
  void a_counter_is_added_to_and_the_rest_replaced(Form form) {
    Upsert how = Upsert.defaults().adding("count", "total");
    assertThat(form.upsert(new Reading("s", 2, "1.50", Instant.EPOCH), how).outcome())
        .isEqualTo(Outcome.CREATED);

    UpsertResult<Reading> again =
        form.upsert(new Reading("s", 3, "0.255", Instant.EPOCH.plusSeconds(9)), how);

    assertThat(again.outcome()).isEqualTo(Outcome.UPDATED);
    assertThat(again.entity().count).isEqualTo(5);
    assertThat(again.entity().total).as("rounded as the column rounds").isEqualTo("1.76");
    assertThat(again.entity().at).isEqualTo(Instant.EPOCH.plusSeconds(9));
    assertThat(again.entity().ver).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("forms")
  void adding_nothing_changes_nothing(Form form) {
    Upsert how = Upsert.defaults().replacing("at").adding("count");
    form.upsert(new Reading("s", 2, "1", Instant.EPOCH), how);

    assertThat(form.upsert(new Reading("s", 0, "7", Instant.EPOCH), how).outcome())
        .isEqualTo(Outcome.UNCHANGED);
    UpsertResult<Reading> nothing = form.upsert(new Reading("s", null, "7", Instant.EPOCH), how);
    assertThat(nothing.outcome()).isEqualTo(Outcome.UNCHANGED);
    assertThat(nothing.entity().count).isEqualTo(2);
    assertThat(nothing.entity().ver).isZero();
  }

  @ParameterizedTest
  @MethodSource("forms")
  void a_null_in_the_row_is_added_to_as_if_it_were_nothing(Form form) {
    Upsert how = Upsert.defaults().adding("count");
    form.upsert(new Reading("s", null, "1", Instant.EPOCH), how);

    assertThat(form.upsert(new Reading("s", 4, "1", Instant.EPOCH), how).entity().count)
        .isEqualTo(4);
  }

  @ParameterizedTest
  @MethodSource("forms")
  void what_is_older_than_the_row_changes_nothing(Form form) {
    Upsert how = Upsert.defaults().onlyIf(UpdateCondition.greater("at"));
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    form.upsert(new Reading("s", 1, "1", now), how);

    assertThat(form.upsert(new Reading("s", 2, "2", now.minusSeconds(1)), how).outcome())
        .isEqualTo(Outcome.UNCHANGED);
    assertThat(form.upsert(new Reading("s", 2, "2", now), how).outcome())
        .isEqualTo(Outcome.UNCHANGED);
    assertThat(form.upsert(new Reading("s", 3, "3", null), how).entity().count).isEqualTo(1);
    UpsertResult<Reading> newer = form.upsert(new Reading("s", 4, "4", now.plusSeconds(1)), how);
    assertThat(newer.outcome()).isEqualTo(Outcome.UPDATED);
    assertThat(newer.entity().count).isEqualTo(4);
  }

  @ParameterizedTest
  @MethodSource("forms")
  void a_value_that_is_there_stays_where_the_row_must_have_none(Form form) {
    Upsert how = Upsert.defaults().replacing("firstAt").onlyIf(UpdateCondition.absent("firstAt"));
    form.upsert(new Reading("s", 1, "1", null), how);

    assertThat(form.upsert(new Reading("s", 1, "1", Instant.EPOCH), how).outcome())
        .isEqualTo(Outcome.UPDATED);
    UpsertResult<Reading> second =
        form.upsert(new Reading("s", 1, "1", Instant.EPOCH.plusSeconds(1)), how);
    assertThat(second.outcome()).isEqualTo(Outcome.UNCHANGED);
    assertThat(second.entity().firstAt).isEqualTo(Instant.EPOCH);
  }

  @Test
  void no_increment_is_lost_however_many_count_at_once() throws Exception {
    Upsert how = Upsert.defaults().adding("count");
    Together.run(
        8,
        thread -> {
          for (int i = 0; i < 50; i++) {
            rowlock.run(
                work -> {
                  work.upsert(new Reading("a", 1, "1", Instant.EPOCH), how);
                  work.upsertAll(
                      IntStream.range(0, 5)
                          .mapToObj(n -> new Reading("b" + n, 1, "1", Instant.EPOCH))
                          .toList(),
                      how);
                });
          }
          return null;
        });
    assertThat(db.column("select distinct count from reading")).containsExactly(400);
  }

  @Test
  void an_attribute_that_cannot_be_changed_or_looked_at_is_named() {
    Reading candidate = new Reading("s", 1, "1", Instant.EPOCH);
    assertThatThrownBy(
            () -> rowlock.run(work -> work.upsert(candidate, Upsert.defaults().adding("ver"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot add to 'ver': it is the version");
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work ->
                        work.upsert(
                            candidate, Upsert.defaults().onlyIf(UpdateCondition.greater("nope")))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot depend on 'nope': there is no such attribute");
    assertThatThrownBy(() -> Upsert.defaults().replacing("count").adding("count"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("changes an attribute twice");
  }
}
