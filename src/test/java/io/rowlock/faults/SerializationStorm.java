package io.rowlock.faults;

import io.rowlock.IsolationLevel;

/** REPEATABLE READ and SERIALIZABLE only, and a writer that keeps changing the rows they want. */
final class SerializationStorm implements Fault {

  @Override
  public String told() {
    return "serialization storm";
  }

  @Override
  public Setup setup(OwnServer server) {
    return Setup.of(server).withLevels(IsolationLevel.REPEATABLE_READ, IsolationLevel.SERIALIZABLE);
  }

  @Override
  public int gap() {
    return 8;
  }

  @Override
  public void strike(Site site) throws Exception {
    try (Outsider outsider = new Outsider(site.server())) {
      String table = site.random().nextBoolean() ? "account" : "counter";
      outsider.execute(
          table.equals("account")
              ? "update account set balance = balance where id = "
                  + site.random().nextInt(Calls.ACCOUNTS)
              : "update counter set amount = amount where id = (select min(id) from counter)");
      outsider.commit();
      site.injected();
    }
  }

  @Override
  public boolean isFelt(Throwable failure) {
    return Symptom.hasState(failure, "40001");
  }
}
