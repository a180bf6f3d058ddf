package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.CreateContentionException;
import io.rowlock.internal.hibernate.LostRaces;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import io.rowlock.testing.Together;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A row that vanishes between two rounds is created, and the rounds are bounded. */
class C15RowThatVanishesIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Page.TABLE,
          "create function drop_row() returns trigger language plpgsql as"
              + " 'begin return null; end'");

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit = db.unit(Page.class).recording().open();
    create = new Creating(unit);
    create.getOrCreate(new Page("first", null));
  }

  @BeforeEach
  void empty() throws Exception {
    db.execute("truncate page");
  }

  @AfterEach
  void dropTrigger() throws Exception {
    db.execute("drop trigger if exists drops on page");
  }

  @Test
  void a_row_deleted_between_the_rounds_is_created_by_the_next_one() throws Exception {
    Rival rival = db.rival();
    rival.execute("insert into page (slug, title, version) values ('gone', 'rival', 0)");
    Future<GetOrCreateResult<Page>> waiting =
        Together.start(
            () ->
                getOrCreate(
                    (type, round) -> {
                      assertThat(type).isEqualTo(Page.class);
                      run(() -> rival.execute("delete from page where slug = 'gone'"));
                      run(rival::commit);
                    }));
    db.awaitBlockedBy(rival.pid());
    rival.commit();

    assertThat(Together.get(waiting).created()).isTrue();
    assertThat(db.column("select title from page")).containsExactly("mine");
  }

  @Test
  void a_row_that_keeps_coming_and_going_ends_the_operation_at_its_bound() throws Exception {
    List<Integer> rounds = new ArrayList<>();
    Rival first = db.rival();
    first.execute("insert into page (slug, title, version) values ('gone', 'rival', 0)");
    List<Future<?>> releases = new ArrayList<>();
    releases.add(Together.start(() -> releaseOnceWaitedFor(first)));

    assertThatThrownBy(
            () ->
                getOrCreate(
                    (type, round) -> {
                      rounds.add(round);
                      run(() -> db.execute("delete from page where slug = 'gone'"));
                      Rival next = run(db::rival);
                      run(
                          () ->
                              next.execute(
                                  "insert into page (slug, title, version) values ('gone', 'again',"
                                      + " 0)"));
                      releases.add(Together.start(() -> releaseOnceWaitedFor(next)));
                    }))
        .asInstanceOf(InstanceOfAssertFactories.type(CreateContentionException.class))
        .satisfies(
            contention -> {
              assertThat(contention.rounds()).isEqualTo(10);
              assertThat(contention.entity()).isEqualTo(Page.class.getName());
              assertThat(contention).hasMessageContaining("10 times").hasMessageContaining("slug");
            });
    assertThat(rounds).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
    for (Future<?> release : releases) {
      Together.get(release);
    }
  }

  @Test
  void an_insert_that_a_trigger_drops_ends_at_the_bound_and_leaves_the_transaction_usable()
      throws Exception {
    db.execute(
        "create trigger drops before insert on page for each row execute function drop_row()");
    unit.factory()
        .runInTransaction(
            em -> {
              unit.log().clear();
              assertThatThrownBy(() -> create.getOrCreate(em, new Page("dropped", "x")))
                  .isInstanceOf(CreateContentionException.class)
                  .hasMessageContaining("trigger");
              assertThat(unit.log().work()).hasSize(10);
              assertThat(create.insertIfAbsent(em, new Page("dropped", "x")).inserted()).isFalse();
              assertThat(em.createNativeQuery("select 1").getSingleResult()).isEqualTo(1);
            });
  }

  @Test
  void a_row_that_a_policy_hides_ends_at_the_bound() throws Exception {
    db.execute(
        "create role rls_reader login password 'secret'",
        "grant usage on schema " + db.schema() + " to rls_reader",
        "grant all on page to rls_reader",
        "alter table page enable row level security",
        "create policy mine on page using (title <> 'hidden') with check (true)",
        "insert into page (slug, title, version) values ('hid', 'hidden', 0)");
    try (TestUnit restricted =
        db.unit(Page.class)
            .role("rls_reader", "secret")
            // the URL of the server may name its administrator
            .urlParameter("user", "rls_reader")
            .urlParameter("password", "secret")
            .open()) {
      Creating other = new Creating(restricted);
      assertThatThrownBy(() -> other.getOrCreate(new Page("hid", "x")))
          .isInstanceOf(CreateContentionException.class)
          .hasMessageContaining("row security policy");
    } finally {
      db.execute(
          "drop policy mine on page",
          "alter table page disable row level security",
          "drop owned by rls_reader",
          "drop role rls_reader");
    }
  }

  private static GetOrCreateResult<Page> getOrCreate(LostRaces races) {
    return unit.factory()
        .callInTransaction(
            em -> create.getOrCreate(em, new Page("gone", "mine"), GetOrCreate.defaults(), races));
  }

  private static Void releaseOnceWaitedFor(Rival rival) throws Exception {
    db.awaitBlockedBy(rival.pid());
    rival.commit();
    return null;
  }

  private interface Step {
    void run() throws Exception;
  }

  private static void run(Step step) {
    run(
        () -> {
          step.run();
          return null;
        });
  }

  private static <T> T run(Callable<T> step) {
    try {
      return step.call();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
