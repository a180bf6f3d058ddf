package io.rowlock.faults;

import io.rowlock.UnitOfWork;
import java.sql.SQLException;
import java.util.Random;

/** Something that breaks, for real. */
interface Fault extends AutoCloseable {

  /** What the report calls it. */
  String told();

  /** How the application is set up meanwhile. */
  default Setup setup(OwnServer server) {
    return Setup.of(server);
  }

  /** How many steps of units at most pass before it strikes again. */
  default int gap() {
    return 60;
  }

  /** Strikes once, from a thread of its own; counts itself at the site if it did. */
  default void strike(Site site) throws Exception {}

  /**
   * Strikes in the unit, between two of its steps, or leaves it alone.
   *
   * @param random drawn from the seed for this call alone
   */
  default void strikeIn(Site site, Call call, UnitOfWork unit, int place, Random random)
      throws Exception {}

  /** Undoes what would last, once the threads have ended; called after each round. */
  default void heal(Site site) throws SQLException {}

  /** Ends what it has opened for the setup; called once. */
  @Override
  default void close() throws SQLException {}

  /** Whether an attempt's failure is the work of this fault. */
  boolean isFelt(Throwable failure);

  /** Whether a call may end with this failure; any other one is wrong. */
  default boolean mayEndACall(Throwable failure) {
    return isFelt(failure);
  }
}
