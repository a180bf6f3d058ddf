package io.rowlock.faults;

/** New connections are refused, and the old ones cut, until some attempts have felt it. */
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
    site.letBeFelt(1 + site.random().nextInt(6));
    proxy().admit();
    site.outage().ends();
  }
}
