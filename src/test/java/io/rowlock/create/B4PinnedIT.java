package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.lock.LockStrength;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B4: what is answered stays, as strongly as was asked for. */
class B4PinnedIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          Page.TABLE, "create table comment (page bigint not null references page, body text)");

  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit = db.unit(Page.class).open();
    create = new Creating(unit);
  }

  @BeforeEach
  void one_row() throws Exception {
    db.execute(
        "truncate page, comment",
        "insert into page (slug, title, version) values ('there', 'x', 0)");
  }

  @Test
  void key_share_is_the_default_and_keeps_the_row_and_its_key() throws Exception {
    assertThat(locksLeftToOthers(em -> create.getOrCreate(em, new Page("there", null))))
        .containsExactly("key share", "share", "no key update");
  }

  @Test
  void share_lets_others_share_and_nobody_write() throws Exception {
    assertThat(locksLeftToOthers(pinned(LockStrength.SHARE))).containsExactly("key share", "share");
  }

  @Test
  void no_key_update_lets_others_refer_to_the_row() throws Exception {
    assertThat(locksLeftToOthers(pinned(LockStrength.NO_KEY_UPDATE))).containsExactly("key share");
  }

  @Test
  void update_lets_others_do_nothing() throws Exception {
    assertThat(locksLeftToOthers(pinned(LockStrength.UPDATE))).isEmpty();
  }

  @Test
  void unpinned_lets_others_do_anything() throws Exception {
    assertThat(
            locksLeftToOthers(
                em ->
                    create.getOrCreate(
                        em, new Page("there", null), GetOrCreate.defaults().unpinned())))
        .containsExactly("key share", "share", "no key update", "update");
  }

  @Test
  void a_row_that_was_there_with_the_same_values_is_locked_by_an_upsert_too() throws Exception {
    assertThat(locksLeftToOthers(em -> create.upsert(em, new Page("there", "x"))))
        .containsExactly("key share");
  }

  @Test
  void a_skipped_insert_locks_nothing() throws Exception {
    assertThat(locksLeftToOthers(em -> create.insertIfAbsent(em, new Page("there", "x"))))
        .containsExactly("key share", "share", "no key update", "update");
  }

  @Test
  void a_delete_waits_until_the_unit_that_pinned_the_row_has_ended() throws Exception {
    Rival rival = db.rival();
    Future<Integer> deleted =
        unit.factory()
            .callInTransaction(
                em -> {
                  Page page = create.getOrCreate(em, new Page("there", null)).entity();
                  Future<Integer> delete =
                      rival.executeAsync("delete from page where slug = 'there'");
                  db.awaitBlocked(rival.pid());
                  em.createNativeQuery("insert into comment values (?, 'safe')")
                      .setParameter(1, page.id)
                      .executeUpdate();
                  return delete;
                });

    assertThat(deleted)
        .failsWithin(java.time.Duration.ofSeconds(20))
        .withThrowableThat()
        .withMessageContaining("foreign key");
    assertThat(db.column("select body from comment")).containsExactly("safe");
  }

  private static Consumer<EntityManager> pinned(LockStrength strength) {
    return em ->
        create.getOrCreate(em, new Page("there", null), GetOrCreate.defaults().pinned(strength));
  }

  /** Which of the row locks another connection can have while the operation's transaction runs. */
  private static List<String> locksLeftToOthers(Consumer<EntityManager> operation) {
    return unit.factory()
        .callInTransaction(
            em -> {
              operation.accept(em);
              List<String> free = new ArrayList<>();
              for (String lock : List.of("key share", "share", "no key update", "update")) {
                if (canLock(lock)) {
                  free.add(lock);
                }
              }
              return free;
            });
  }

  private static boolean canLock(String lock) {
    try (Rival rival = db.rival()) {
      rival.one("select slug from page for " + lock + " nowait");
      return true;
    } catch (SQLException e) {
      assertThat(e.getSQLState()).isEqualTo("55P03");
      return false;
    }
  }
}
