package io.rowlock.faults;

/** All connections are cut at once, whatever they are at. */
final class CutAll extends ThroughProxy {

  @Override
  public String told() {
    return "cut of all connections";
  }

  @Override
  public int gap() {
    return 120;
  }

  @Override
  public void strike(Site site) {
    if (proxy().connections() > 0) {
      proxy().cutAll();
      site.injected();
    }
  }
}
