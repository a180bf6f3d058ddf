package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.Rowlock;
import io.rowlock.UnitOfWork;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * B6: what a batch reads grows with the batch and not with the table, whatever the server believes
 * of the table. Statistics that are gathered while a load is under way do not see its rows: from
 * then on, the server takes a table of thousands of rows for one of none.
 */
class B6StatisticsIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Page.TABLE,
          // the test gathers the statistics itself
          "alter table page set (autovacuum_enabled = false)");

  private static final int THERE = 20_000;
  private static final int GIVEN = 100;

  static TestUnit unit;
  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    unit = db.unit(Page.class).open();
    rowlock = Rowlock.of(unit.factory());
    // what the catalog says is asked for at the first use
    rowlock.run(work -> work.upsertAll(pages(0, 1)));
  }

  @AfterAll
  static void close() {
    unit.close();
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate page restart identity");
  }

  private enum Operation {
    INSERT_IF_ABSENT_ALL(0, work -> work.insertIfAbsentAll(halfNew())),
    GET_OR_CREATE_ALL(0, work -> work.getOrCreateAll(halfNew())),
    UPSERT_ALL(0, work -> work.upsertAll(halfNew())),
    LOCK(1, work -> work.lock(Page.class, ids())),
    CHANGE(2, work -> work.change(Page.class, ids(), page -> page.title += "!")),
    CHANGE_TO_VALUES(2, work -> work.change(Page.class, ids(), page -> page.title += page.slug)),
    INCREMENT_VERSIONS(2, work -> work.incrementVersions(Page.class, ids())),
    INSERT_IF_ABSENT(0, work -> halfNew().forEach(work::insertIfAbsent)),
    GET_OR_CREATE(0, work -> halfNew().forEach(work::getOrCreate)),
    UPSERT(0, work -> halfNew().forEach(work::upsert));

    private final int byIds;
    private final Consumer<UnitOfWork> act;

    /**
     * An operation.
     *
     * @param byIds how many of its statements find rows by an array of ids
     */
    Operation(int byIds, Consumer<UnitOfWork> act) {
      this.byIds = byIds;
      this.act = act;
    }

    /** Before 17, the planner thinks an array so dear that it goes through the table, once. */
    long most() throws SQLException {
      boolean once = db.number("select current_setting('server_version_num')::int") < 170_000;
      return 20 * GIVEN + (once ? byIds * (THERE + GIVEN) : 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void what_is_read_grows_with_what_is_given(Operation operation) throws Exception {
    rowlock.run(
        work -> {
          work.insertIfAbsentAll(pages(0, THERE));
          db.execute("analyze page");
          assertThat(db.one("select reltuples from pg_class where oid = 'page'::regclass"))
              .as("rows, as the server believes")
              .isEqualTo(0f);
          work.entityManager().clear();
          long before = rowsRead(work);
          operation.act.accept(work);
          work.entityManager().flush();
          assertThat(rowsRead(work) - before).as("rows read").isLessThanOrEqualTo(operation.most());
        });
  }

  /** Half of them are there, and differ. */
  private static List<Page> halfNew() {
    return IntStream.range(THERE - GIVEN / 2, THERE + GIVEN / 2)
        .mapToObj(i -> new Page("p" + i, "changed"))
        .toList();
  }

  private static List<Page> pages(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> new Page("p" + i, "title " + i)).toList();
  }

  private static List<Long> ids() {
    return LongStream.range(0, GIVEN).mapToObj(i -> 1 + i * (THERE / GIVEN)).toList();
  }

  /** By this transaction, of the table, from it and from its indexes. */
  private static long rowsRead(UnitOfWork work) {
    return ((Number)
            work.entityManager()
                .createNativeQuery(
                    "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables"
                        + " where relid = 'page'::regclass")
                .getSingleResult())
        .longValue();
  }
}
