package io.rowlock.unit;

import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import io.rowlock.testing.Together;
import jakarta.persistence.EntityManager;
import java.sql.SQLException;
import java.util.concurrent.Future;

/** Makes PostgreSQL abort a unit's transaction, at a place of the test's choice. */
final class Conflicts {

  private Conflicts() {}

  /**
   * Makes the caller a deadlock's victim: 40P01 from its second statement. Afterwards the rival,
   * which has raised n of rows 1 and 2 by 100, has committed.
   */
  static void deadlock(Postgres db, EntityManager em) throws SQLException {
    Rival rival = db.rival();
    rival.execute("set local deadlock_timeout = '1h'");
    rival.execute("update tag set n = n + 100 where id = 2");
    em.createNativeQuery("update tag set n = n + 1 where id = 1").executeUpdate();
    Future<Integer> waiting =
        Together.start(
            () -> {
              int count = rival.execute("update tag set n = n + 100 where id = 1");
              rival.commit();
              return count;
            });
    db.awaitBlocked(rival.pid());
    try {
      em.createNativeQuery("update tag set n = n + 1 where id = 2").executeUpdate();
    } catch (RuntimeException e) {
      // the server has released the victim's locks already
      Together.get(waiting);
      throw e;
    }
    throw new AssertionError("There was no deadlock");
  }

  /** Makes the server raise an error of this state: a real one, without the conflict. */
  static void raise(EntityManager em, String state) {
    em.createNativeQuery(raising(state)).executeUpdate();
  }

  /** A statement that raises an error of this state. */
  static String raising(String state) {
    return "do $$ begin raise exception 'made to fail' using errcode = '" + state + "'; end $$";
  }

  /** The caller's server process. */
  static int pid(EntityManager em) {
    return ((Number) em.createNativeQuery("select pg_backend_pid()").getSingleResult()).intValue();
  }

  /** Kills a server process. */
  static void kill(Postgres db, int pid) throws SQLException {
    db.one("select pg_terminate_backend(?, 10000)", pid);
  }
}
