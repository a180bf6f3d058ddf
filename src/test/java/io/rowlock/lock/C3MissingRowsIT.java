package io.rowlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rowlock.MissingRowsException;
import io.rowlock.internal.hibernate.RowLocks;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** C3: missing rows cancel the batch; what is no id is refused before any SQL. */
class C3MissingRowsIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE, VTag.TABLE);

  static TestUnit unit;
  static final RowLocks locks = new RowLocks();

  @BeforeAll
  static void open() {
    unit = db.unit(Tag.class, VTag.class).recording().open();
  }

  @BeforeEach
  void rows() throws Exception {
    db.execute(
        "truncate tag, vtag",
        "insert into tag (id) select generate_series(5, 1, -1)",
        "insert into vtag (id) select generate_series(5, 1, -1)");
  }

  @Test
  void all_missing_rows_are_named_in_the_order_asked_for_and_the_transaction_goes_on()
      throws Exception {
    Transaction.run(
        unit,
        em -> {
          MissingRowsException missing = missing(() -> lock(em, List.of(3L, 99L, 1L, 98L, 99L)));

          assertThat(missing.entity()).isEqualTo(Tag.class.getName());
          assertThat(missing.ids()).containsExactly(99L, 98L);
          assertThat(missing).hasMessageContaining("[99, 98]");
          assertThat(em.getTransaction().getRollbackOnly()).isFalse();
          em.find(Tag.class, 5L).n = 7;
        });

    assertThat(db.number("select n from tag where id = 5")).isEqualTo(7);
  }

  @Test
  void a_missing_row_cancels_the_increment_of_the_others() throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          MissingRowsException missing =
              missing(() -> locks.incrementVersions(em, VTag.class, List.of(1L, 99L, 2L)));
          assertThat(missing.ids()).containsExactly(99L);
          assertThat(unit.log().work()).noneMatch(sql -> sql.startsWith("update"));
        });

    assertThat(db.number("select sum(ver) from vtag")).isZero();
  }

  @Test
  void a_row_deleted_while_the_lock_waited_is_missing_and_a_changed_one_is_fresh()
      throws Exception {
    Rival rival = db.rival();
    rival.execute("update tag set note = 'closed' where id = 2");
    rival.execute("delete from tag where id = 3");
    Future<MissingRowsException> batch =
        Together.start(
            () ->
                Transaction.call(
                    unit,
                    em -> {
                      MissingRowsException missing =
                          missing(() -> lock(em, List.of(1L, 2L, 3L, 4L)));
                      assertThat(em.find(Tag.class, 2L).note).isEqualTo("closed");
                      return missing;
                    }));
    db.awaitBlockedBy(rival.pid());
    rival.commit();

    assertThat(Together.get(batch).ids()).containsExactly(3L);
  }

  @Test
  void a_row_removed_in_the_same_unit_is_missing() throws Exception {
    Transaction.run(
        unit,
        em -> {
          em.remove(em.find(Tag.class, 4L));
          assertThat(missing(() -> lock(em, List.of(4L, 5L))).ids()).containsExactly(4L);
        });
  }

  @Test
  void a_managed_instance_whose_row_is_gone_is_missing() throws Exception {
    Transaction.run(
        unit,
        em -> {
          em.find(Tag.class, 4L);
          db.execute("delete from tag where id = 4");
          assertThat(missing(() -> lock(em, List.of(4L, 5L))).ids()).containsExactly(4L);
        });
  }

  @Test
  void many_missing_rows_are_all_carried_and_some_shown() throws Exception {
    List<Long> ids = LongStream.rangeClosed(1, 1000).boxed().toList();
    Transaction.run(
        unit,
        em -> {
          MissingRowsException missing = missing(() -> lock(em, ids));
          assertThat(missing.ids()).hasSize(995);
          assertThat(missing.getMessage()).hasSizeLessThan(300).contains("and 975 more");
        });
  }

  @Test
  void no_ids_are_no_statement_and_no_flush() throws Exception {
    Transaction.run(
        unit,
        em -> {
          em.find(Tag.class, 1L).n = 9;
          unit.log().clear();
          assertThat(lock(em, List.of())).isEmpty();
          assertThat(locks.incrementVersions(em, VTag.class, List.of())).isEmpty();
          assertThat(unit.log().work()).isEmpty();
        });
  }

  @Test
  void what_is_no_id_is_refused_before_any_statement() throws Exception {
    Transaction.run(
        unit,
        em -> {
          unit.log().clear();
          List<Object> withNull = new ArrayList<>(Arrays.asList(1L, null));
          assertThatIllegalArgumentException()
              .isThrownBy(() -> locks.lock(em, Tag.class, withNull, Locking.defaults()))
              .withMessageContaining("null")
              .withMessageContaining(Tag.class.getName());
          assertThatIllegalArgumentException()
              .isThrownBy(() -> locks.lock(em, Tag.class, List.of(1), Locking.defaults()))
              .withMessageContaining("java.lang.Integer")
              .withMessageContaining("java.lang.Long");
          assertThatIllegalArgumentException()
              .isThrownBy(() -> locks.incrementVersions(em, VTag.class, List.of("1")))
              .withMessageContaining("java.lang.String");
          assertThatIllegalArgumentException()
              .isThrownBy(
                  () -> locks.lock(em, String.class, Collections.emptyList(), Locking.defaults()))
              .withMessageContaining("java.lang.String");
          assertThatNullPointerException()
              .isThrownBy(() -> locks.lock(em, Tag.class, null, Locking.defaults()));
          assertThat(unit.log().work()).isEmpty();
        });
  }

  @Test
  void the_answer_cannot_be_changed() throws Exception {
    Transaction.run(
        unit,
        em -> {
          Map<Long, Tag> locked = lock(em, List.of(1L));
          org.assertj.core.api.Assertions.assertThatThrownBy(locked::clear)
              .isInstanceOf(UnsupportedOperationException.class);
        });
  }

  private static Map<Long, Tag> lock(EntityManager em, List<Long> ids) {
    return locks.lock(em, Tag.class, ids, Locking.defaults());
  }

  private static MissingRowsException missing(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call) throws Exception {
    return catchThrowableOfType(MissingRowsException.class, call);
  }
}
