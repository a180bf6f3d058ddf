package io.rowlock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The test kit sees what it claims to see. */
class PostgresKitIT {

  @RegisterExtension
  static final Postgres db = new Postgres("create table kit (id bigint primary key, n int)");

  @Entity(name = "kit")
  static class Kit {
    @Id Long id;
    int n;
  }

  @Test
  void a_unit_records_the_statements_that_it_sends() {
    TestUnit unit = db.unit(Kit.class).recording().open();

    unit.factory()
        .runInTransaction(
            em -> {
              Kit kit = new Kit();
              kit.id = 1L;
              em.persist(kit);
            });

    assertThat(unit.log().statements()).singleElement().asString().startsWith("insert into kit");
  }

  @Test
  void a_blocked_rival_is_seen_and_let_go() throws Exception {
    db.execute("insert into kit values (7, 0)");
    Rival first = db.rival();
    Rival second = db.rival();
    first.execute("update kit set n = 1 where id = 7");
    Future<Integer> waiting = second.executeAsync("update kit set n = n + 1 where id = 7");

    assertThat(db.awaitBlockedBy(first.pid())).isEqualTo(second.pid());
    first.commit();

    assertThat(Together.get(waiting)).isEqualTo(1);
    second.commit();
    assertThat(db.number("select n from kit where id = 7")).isEqualTo(2);
  }

  @Test
  void a_connection_that_is_left_in_use_fails_the_check_after_the_test() throws Exception {
    TestUnit unit = db.unit(Kit.class).open();
    EntityManager left = unit.factory().createEntityManager();
    left.getTransaction().begin();
    left.createNativeQuery("select 1").getResultList();
    try {
      assertThatThrownBy(() -> db.afterEach(null)).hasMessageContaining("in use");
    } finally {
      left.getTransaction().rollback();
      left.close();
    }
  }

  @Test
  void tasks_run_at_once_and_hand_on_what_they_throw() {
    assertThat(Together.run(3, n -> n * 2)).isEqualTo(List.of(0, 2, 4));
    assertThatThrownBy(
            () ->
                Together.run(
                    2,
                    n -> {
                      throw new java.io.IOException("thread " + n);
                    }))
        .isInstanceOf(java.io.IOException.class);
  }
}
