package io.rowlock.faults;

import java.util.List;

/**
 * {@code pg_terminate_backend} or {@code pg_cancel_backend}, to a backend of the application that
 * is in a transaction.
 */
final class Signal implements Fault {

  private static final String BUSY =
      "select pid from pg_stat_activity where application_name = ? and state <> 'idle' order by pid";

  private final boolean terminate;

  private Signal(boolean terminate) {
    this.terminate = terminate;
  }

  static Signal terminate() {
    return new Signal(true);
  }

  static Signal cancel() {
    return new Signal(false);
  }

  @Override
  public String told() {
    return terminate ? "pg_terminate_backend" : "pg_cancel_backend";
  }

  @Override
  public int gap() {
    return 30;
  }

  @Override
  public void strike(Site site) throws Exception {
    List<Object> busy = site.server().column(BUSY, Application.NAME);
    if (busy.isEmpty()) {
      return;
    }
    Object pid = busy.get(site.random().nextInt(busy.size()));
    if ((Boolean) site.server().column("select " + told() + "(?)", pid).get(0)) {
      site.injected();
    }
  }

  @Override
  public boolean isFelt(Throwable failure) {
    return terminate ? Symptom.isConnectionLost(failure) : Symptom.hasState(failure, "57014");
  }
}
