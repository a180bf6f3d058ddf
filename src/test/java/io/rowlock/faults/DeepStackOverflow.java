package io.rowlock.faults;

import io.rowlock.UnitOfWork;
import java.util.Random;

/**
 * A stack that overflows inside Hibernate or the driver, perhaps between a statement and its
 * answer: the unit's function asks the database at the end of a recursion, where there is room for
 * so many frames more.
 */
final class DeepStackOverflow implements Fault {

  private static final int MOST_ROOM = 600;

  @Override
  public String told() {
    return "StackOverflowError in Hibernate, driver";
  }

  @Override
  public void strikeIn(Site site, Call call, UnitOfWork unit, int place, Random random) {
    if (random.nextInt(3) == 0 && random.nextInt(Work.PLACES) == place) {
      Dive dive = new Dive(site, unit);
      // so that every class is there, and sound
      dive.ask();
      dive.down(random.nextInt(MOST_ROOM));
    }
  }

  @Override
  public boolean isFelt(Throwable failure) {
    return failure instanceof StackOverflowError;
  }

  @Override
  public boolean mayEndACall(Throwable failure) {
    // somebody on the way may have made something else of it
    return Symptom.has(failure, StackOverflowError.class);
  }

  private static final class Dive {

    private final Site site;
    private final UnitOfWork unit;
    private boolean asked;

    Dive(Site site, UnitOfWork unit) {
      this.site = site;
      this.unit = unit;
    }

    /** To the bottom, and so many frames up again; then asks. */
    @SuppressWarnings("InfiniteRecursion") // on purpose
    int down(int room) {
      int left;
      try {
        left = down(room);
      } catch (StackOverflowError e) {
        if (asked) {
          throw e;
        }
        left = room;
      }
      if (left == 0) {
        asked = true;
        site.injected();
        ask();
      }
      return left - 1;
    }

    void ask() {
      unit.entityManager()
          .createNativeQuery("select 1 from account where id = 3", Integer.class)
          .getResultList();
    }
  }
}
