package io.rowlock.faults;

import io.rowlock.testing.Await;
import io.rowlock.testing.TcpProxy;
import io.rowlock.testing.TcpProxy.Planned;

/** The connections of the application lead through a proxy, which breaks them. */
abstract class ThroughProxy implements Fault {

  private TcpProxy proxy;

  @Override
  public Setup setup(OwnServer server) {
    String url = OwnServer.url(server.port());
    proxy = TcpProxy.before(url);
    return Setup.of(server).withUrl(proxy.through(url));
  }

  TcpProxy proxy() {
    return proxy;
  }

  /** Waits until what was planned has happened to somebody; false if the round ends before. */
  static boolean happens(Planned planned, Site site) {
    Await.until(
        "a statement meets the proxy's fault", () -> planned.happened() || site.pulse().isOver());
    return planned.happened();
  }

  @Override
  public void heal(Site site) {
    proxy.calm();
    proxy.admit();
  }

  @Override
  public void close() {
    proxy.close();
  }

  @Override
  public boolean isFelt(Throwable failure) {
    return Symptom.isConnectionLost(failure);
  }
}
