package io.rowlock.faults;

import io.rowlock.testing.TcpProxy;
import io.rowlock.testing.TcpProxy.Planned;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Nothing passes any more on a connection, from a statement or a COMMIT on; then it goes on, in
 * time, or after the driver has given up: the server may then get a COMMIT that nobody waits for.
 */
final class Stall extends ThroughProxy {

  /** The driver counts in seconds. */
  private static final int SOCKET_TIMEOUT_SECONDS = 1;

  /** In time. */
  private static final long SHORT_MILLIS = 100;

  /** After the driver has given up. */
  private static final long LONG_MILLIS = 1500;

  @Override
  public String told() {
    return "stalled connection";
  }

  @Override
  public Setup setup(OwnServer server) {
    Setup usual = super.setup(server);
    return usual.withUrl(usual.url() + "?socketTimeout=" + SOCKET_TIMEOUT_SECONDS);
  }

  @Override
  public int gap() {
    return 100;
  }

  @Override
  public void strike(Site site) throws Exception {
    Planned stall = site.random().nextInt(3) == 0 ? atSomeStatement(site) : atCommit();
    if (happens(stall, site)) {
      site.injected();
      boolean inTime = site.random().nextInt(4) == 0;
      site.pulse().await(Long.MAX_VALUE, inTime ? SHORT_MILLIS : LONG_MILLIS);
    }
    stall.release();
  }

  private Planned atCommit() {
    return proxy().atCommit(TcpProxy.Fault.STALL);
  }

  private Planned atSomeStatement(Site site) {
    AtomicInteger nth = new AtomicInteger(1 + site.random().nextInt(20));
    return proxy()
        .at(statement -> !statement.isEmpty() && nth.decrementAndGet() == 0, TcpProxy.Fault.STALL);
  }
}
