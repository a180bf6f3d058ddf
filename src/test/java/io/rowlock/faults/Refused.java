package io.rowlock.faults;

import io.rowlock.testing.Await;

/** New connections are refused, and the old ones cut, until some calls have met it. */
final class Refused extends ThroughProxy {

  @Override
  public String told() {
    return "refused connections";
  }

  @Override
  public int gap() {
    return 120;
  }

  @Override
  public void strike(Site site) {
    site.outage().begins();
    proxy().refuse();
    proxy().cutAll();
    site.injected();
    int calls = 1 + site.random().nextInt(6);
    Await.until(
        "calls meet the outage",
        () -> site.outage().met() >= Math.min(calls, site.working()) || site.pulse().isOver());
    proxy().admit();
    site.outage().ends();
  }
}
