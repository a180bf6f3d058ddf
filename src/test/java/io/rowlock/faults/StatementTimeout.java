package io.rowlock.faults;

import io.rowlock.UnitOfWork;
import java.util.Random;

/** A statement that takes longer than {@code statement_timeout} allows. */
final class StatementTimeout implements Fault {

  @Override
  public String told() {
    return "statement timeout";
  }

  @Override
  public void strikeIn(Site site, Call call, UnitOfWork unit, int place, Random random) {
    if (random.nextInt(8) == 0 && random.nextInt(Work.PLACES) == place) {
      unit.entityManager()
          .createNativeQuery("set local statement_timeout = '5ms'", Object.class)
          .executeUpdate();
      site.injected();
      unit.entityManager()
          .createNativeQuery("select 1 from pg_sleep(60)", Integer.class)
          .getResultList();
    }
  }

  @Override
  public boolean isFelt(Throwable failure) {
    return Symptom.hasState(failure, "57014");
  }
}
