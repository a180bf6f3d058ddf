package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Promise A8: the isolation level is the one that was asked for, and never that of a running
 * transaction changed.
 */
class A8IsolationIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  static TestUnit unit;
  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class).poolSize(1).open();
    rowlock = Rowlock.of(unit.factory());
  }

  @Test
  void read_committed_is_asked_for_even_where_the_server_prefers_another() {
    TestUnit serializable =
        db.unit(Tag.class)
            .urlParameter("options", "-c%20default_transaction_isolation=serializable")
            .open();

    assertThat(Rowlock.of(serializable.factory()).call(A8IsolationIT::level))
        .isEqualTo("READ COMMITTED");
  }

  @ParameterizedTest
  @EnumSource
  void a_unit_has_the_level_that_it_asks_for_and_the_pool_never_hears_of_it(IsolationLevel level) {
    assertThat(rowlock.isolation(level).call(A8IsolationIT::level)).isEqualTo(level.sql());

    Object afterwards =
        unit.factory()
            .<Object>callInTransaction(
                em -> em.createNativeQuery("show transaction_isolation").getSingleResult());
    assertThat(afterwards).isEqualTo("read committed");
  }

  @Test
  void the_level_of_the_settings_is_used_where_none_is_asked_for() {
    TestUnit configured =
        db.unit(Tag.class).property("rowlock.isolation", "repeatable read").open();
    Rowlock fromProperty = Rowlock.of(configured.factory());
    Rowlock fromCode =
        Rowlock.builder(configured.factory()).isolation(IsolationLevel.SERIALIZABLE).build();

    assertThat(fromProperty.call(A8IsolationIT::level)).isEqualTo("REPEATABLE READ");
    assertThat(fromCode.call(A8IsolationIT::level)).isEqualTo("SERIALIZABLE");
  }

  @Test
  void a_joined_unit_that_asks_for_another_level_is_refused() {
    assertThatThrownBy(
            () ->
                rowlock
                    .named("outer")
                    .run(
                        work ->
                            rowlock
                                .named("inner")
                                .isolation(IsolationLevel.SERIALIZABLE)
                                .run(joined -> {})))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'inner'")
        .hasMessageContaining("SERIALIZABLE")
        .hasMessageContaining("'outer'")
        .hasMessageContaining("READ COMMITTED");
  }

  @Test
  void a_joined_unit_may_ask_for_the_level_that_there_is_and_needs_not_ask() {
    String level =
        rowlock
            .isolation(IsolationLevel.SERIALIZABLE)
            .call(
                work -> {
                  rowlock.run(joined -> {});
                  return rowlock.isolation(IsolationLevel.SERIALIZABLE).call(A8IsolationIT::level);
                });

    assertThat(level).isEqualTo("SERIALIZABLE");
  }

  private static String level(UnitOfWork work) {
    return (String)
        work.entityManager()
            .createNativeQuery("select upper(current_setting('transaction_isolation'))")
            .getSingleResult();
  }
}
