package io.rowlock.internal.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.lock.LockStrength;
import io.rowlock.lock.Locking;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LockStatementsTest {

  @Test
  void rows_are_ordered_by_id_in_sql_and_only_their_table_is_locked() {
    assertThat(LockStatements.lock("{e.*}", "s.t", List.of("\"Id\""), Locking.defaults()))
        .isEqualTo(
            "select {e.*} from s.t e where e.\"Id\" = any (?) order by e.\"Id\""
                + " for no key update of e");
  }

  @Test
  void several_columns_are_one_array_each_with_the_type_of_its_column() {
    assertThat(LockStatements.lockIds("t", List.of("a", "b"), Locking.defaults()))
        .isEqualTo(
            "select e.a, e.b from t e join (select distinct * from"
                + " unnest(coalesce(?, array(select a from t where false)),"
                + " coalesce(?, array(select b from t where false)))) w (c1, c2)"
                + " on e.a = w.c1 and e.b = w.c2 order by e.a, e.b for no key update of e");
  }

  @Test
  void every_strength_has_its_clause() {
    assertThat(lockIds(Locking.with(LockStrength.KEY_SHARE))).endsWith(" for key share of e");
    assertThat(lockIds(Locking.with(LockStrength.SHARE))).endsWith(" for share of e");
    assertThat(lockIds(Locking.with(LockStrength.NO_KEY_UPDATE)))
        .endsWith(" for no key update of e");
    assertThat(lockIds(Locking.with(LockStrength.UPDATE))).endsWith(" for update of e");
  }

  @Test
  void only_a_call_that_does_not_wait_says_so() {
    assertThat(lockIds(Locking.defaults().noWait())).endsWith(" of e nowait");
    assertThat(lockIds(Locking.defaults().waitAtMost(Duration.ofSeconds(1)))).endsWith(" of e");
  }

  @Test
  void versions_are_raised_by_the_database() {
    assertThat(LockStatements.incrementVersions("t", List.of("id"), "ver"))
        .isEqualTo(
            "update t e set ver = coalesce(e.ver, 0) + 1 where e.id = any (?)"
                + " returning e.id, e.ver");
  }

  private static String lockIds(Locking how) {
    return LockStatements.lockIds("t", List.of("id"), how);
  }

  @Test
  void the_first_row_carries_the_mark_from_outside_of_the_lock() {
    assertThat(LockStatements.lockMarked("e.id as id", "t", List.of("id"), Locking.defaults()))
        .startsWith("select x.*, case when row_number() over () = 1 then cast(pg_current_xact_id")
        .contains(" end as rowlock_mark from (select e.id as id from t e where e.id = any (?)")
        .endsWith(" order by e.id for no key update of e) x");
  }
}
