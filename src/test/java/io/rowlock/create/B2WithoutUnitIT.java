package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.IsolationLevel;
import io.rowlock.Rowlock;
import io.rowlock.create.UpsertResult.Outcome;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B2: one operation alone costs no more than it must. */
class B2WithoutUnitIT {

  @RegisterExtension static final Postgres db = new Postgres(Page.TABLE);

  static TestUnit unit;
  static Rowlock rowlock;

  @BeforeAll
  static void open() {
    unit = db.unit(Page.class).recording().open();
    rowlock = Rowlock.of(unit.factory());
    // what the catalog says is asked for at the first use
    rowlock.getOrCreate(new Page("first", null));
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate page");
  }

  @Test
  void a_row_that_is_there_is_one_statement_and_no_transaction() throws Exception {
    Page stored = rowlock.getOrCreate(new Page("a", "x")).entity();
    unit.log().clear();

    GetOrCreateResult<Page> answer = rowlock.getOrCreate(new Page("a", "y"));

    assertThat(unit.log().statements()).hasSize(1);
    assertThat(unit.log().begun()).isZero();
    assertThat(answer.created()).isFalse();
    assertThat(answer.entity().id).isEqualTo(stored.id);
    assertThat(answer.entity().title).isEqualTo("x");
    assertThat(db.number("select count(*) from pg_locks where locktype = 'transactionid'"))
        .isZero();
  }

  @Test
  void a_new_row_is_created_in_a_unit() throws Exception {
    unit.log().clear();
    GetOrCreateResult<Page> answer = rowlock.getOrCreate(new Page("a", "x"));

    assertThat(answer.created()).isTrue();
    assertThat(unit.log().begun()).isOne();
    assertThat(unit.log().work()).as("looked for, then created").hasSize(2);
    assertThat(db.one("select title from page where id = ?", answer.entity().id)).isEqualTo("x");
  }

  @Test
  void however_many_do_so_at_once_there_is_one_row() throws Exception {
    for (int round = 0; round < 20; round++) {
      String slug = "s" + round;
      List<GetOrCreateResult<Page>> answers =
          Together.run(8, thread -> rowlock.getOrCreate(new Page(slug, "x")));
      assertThat(answers.stream().filter(GetOrCreateResult::created)).hasSize(1);
      assertThat(answers.stream().map(answer -> answer.entity().id).distinct()).hasSize(1);
    }
  }

  @Test
  void a_pin_or_another_isolation_level_takes_a_transaction() {
    rowlock.getOrCreate(new Page("a", "x"));

    unit.log().clear();
    assertThat(rowlock.getOrCreate(new Page("a", "x"), GetOrCreate.defaults()).created()).isFalse();
    assertThat(unit.log().begun()).isOne();

    unit.log().clear();
    rowlock.isolation(IsolationLevel.SERIALIZABLE).getOrCreate(new Page("a", "x"));
    assertThat(unit.log().begun()).isOne();
  }

  @Test
  void inside_a_unit_it_takes_part_in_that() throws Exception {
    assertThatThrownBy(
            () ->
                rowlock.run(
                    work -> {
                      Page page = rowlock.getOrCreate(new Page("a", "x")).entity();
                      assertThat(work.entityManager().contains(page)).isTrue();
                      assertThat(rowlock.upsert(new Page("a", "y")).entity()).isSameAs(page);
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    assertThat(db.number("select count(*) from page")).isZero();
  }

  @Test
  void the_other_operations_are_units_of_their_own() throws Exception {
    assertThat(rowlock.insertIfAbsent(new Page("a", "x")).inserted()).isTrue();
    assertThat(rowlock.insertIfAbsent(new Page("a", "x")).inserted()).isFalse();
    assertThat(rowlock.upsert(new Page("a", "y")).outcome()).isEqualTo(Outcome.UPDATED);
    assertThat(db.one("select title from page")).isEqualTo("y");
  }

  @Test
  void a_mistake_is_named_as_in_a_unit() {
    assertThatThrownBy(() -> rowlock.getOrCreate(null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("The candidate is null");
    assertThatThrownBy(() -> rowlock.getOrCreate(new Page(null, "x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("null in the columns [slug]");
  }

  @Test
  void a_pool_without_auto_commit_gets_its_connections_back_clean() throws Exception {
    try (TestUnit manual =
        db.unit(Page.class)
            .poolSize(1)
            .manualCommit()
            .property("hibernate.connection.provider_disables_autocommit", true)
            .open()) {
      Rowlock other = Rowlock.of(manual.factory());
      rowlock.getOrCreate(new Page("a", "x"));
      assertThat(other.getOrCreate(new Page("a", "x")).created()).isFalse();
      assertThat(
              db.column(
                  "select query from pg_stat_activity where application_name = ?"
                      + " and state like 'idle in transaction%'",
                  db.schema()))
          .isEmpty();
    }
  }
}
