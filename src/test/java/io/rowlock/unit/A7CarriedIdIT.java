package io.rowlock.unit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.create.GetOrCreate;
import io.rowlock.create.InsertIfAbsent;
import io.rowlock.create.Upsert;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TcpProxy;
import io.rowlock.testing.TcpProxy.Fault;
import io.rowlock.testing.TcpProxy.Planned;
import io.rowlock.testing.TestUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Promise A7: an operation that writes or locks learns the transaction's id by its own statement,
 * so that no other is needed before COMMIT.
 */
class A7CarriedIdIT {

  @RegisterExtension static final Postgres db = new Postgres(Tag.TABLE);

  static final TcpProxy proxy = TcpProxy.open();
  static TestUnit local;
  static TestUnit global;

  private enum Operation {
    CREATE(work -> work.getOrCreate(new Tag(2, "b"), GetOrCreate.by("slug"))),
    PIN(work -> work.getOrCreate(new Tag(1, "a"), GetOrCreate.by("slug"))),
    INSERT(work -> work.insertIfAbsent(new Tag(2, "b"), InsertIfAbsent.by("slug"))),
    UPSERT(
        work -> {
          Tag changed = new Tag(1, "a");
          changed.note = "changed";
          work.upsert(changed, Upsert.by("slug").replacing("note"));
        }),
    LOCK(work -> work.lock(Tag.class, List.of(1L)));

    private final Work work;

    Operation(Work work) {
      this.work = work;
    }
  }

  private interface Work {
    void in(UnitOfWork unit);
  }

  @BeforeAll
  static void open() {
    local = db.unit(Tag.class).through(proxy).poolSize(5).recording().open();
    global = db.unit(Tag.class).jta().through(proxy).poolSize(5).recording().open();
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute("truncate tag", "insert into tag values (1, 'a')");
  }

  @AfterEach
  void calm() {
    proxy.calm();
    proxy.admit();
  }

  @AfterAll
  static void close() {
    proxy.close();
  }

  @ParameterizedTest
  @EnumSource
  void the_fate_of_a_lost_commit_is_known_without_a_statement_before_it(Operation operation)
      throws Exception {
    for (TestUnit unit : List.of(local, global)) {
      for (Fault fault : List.of(Fault.CUT_ANSWERED, Fault.CUT_BEFORE)) {
        one_row();
        Rowlock rowlock = Rowlock.of(unit.factory());
        rowlock.run(operation.work::in);
        one_row();
        AtomicInteger attempts = new AtomicInteger();
        unit.log().clear();
        Planned cut = proxy.atCommit(fault);

        rowlock.run(
            work -> {
              attempts.incrementAndGet();
              operation.work.in(work);
              work.entityManager().find(Tag.class, 1L).n++;
            });

        assertThat(cut.happened()).isTrue();
        assertThat(attempts).hasValue(fault == Fault.CUT_BEFORE ? 2 : 1);
        assertThat(db.number("select n from tag where id = 1")).isEqualTo(1);
        assertThat(unit.log().statements())
            .noneMatch(sql -> sql.startsWith("select pg_current_xact_id_if_assigned"));
      }
    }
  }

  @Test
  void an_operation_that_neither_writes_nor_locks_carries_none() {
    Rowlock rowlock = Rowlock.of(local.factory());
    GetOrCreate unpinned = GetOrCreate.by("slug").unpinned();
    rowlock.run(work -> work.getOrCreate(new Tag(1, "a"), unpinned));
    local.log().clear();

    rowlock.run(
        work -> {
          work.getOrCreate(new Tag(1, "a"), unpinned);
          work.entityManager().find(Tag.class, 1L).n++;
        });

    assertThat(local.log().statements())
        .last()
        .asString()
        .startsWith("select pg_current_xact_id_if_assigned");
  }
}
