package io.rowlock.cdi;

import io.rowlock.testing.Postgres;
import io.rowlock.testing.Rival;
import java.util.concurrent.Future;

/** Makes a unit the victim of a deadlock. */
final class Deadlock {

  private Deadlock() {}

  /**
   * Has the rival raise the balance of one account by a hundred and wait for another one that the
   * unit has locked; the unit only has to ask for the first. It loses: the rival would not look for
   * a deadlock for a minute.
   *
   * @return ends, committed, when the unit has let go
   */
  static Future<Integer> prepare(Postgres db, Rival rival, int unit, long rivals, long units)
      throws Exception {
    rival.execute("set local deadlock_timeout = '60s'");
    rival.execute("update account set balance = balance + 100 where id = ?", rivals);
    Future<Integer> waiting =
        io.rowlock.testing.Together.start(
            () -> {
              int updated =
                  rival.execute("update account set balance = balance + 100 where id = ?", units);
              rival.commit();
              return updated;
            });
    db.awaitBlockedBy(unit);
    return waiting;
  }
}
