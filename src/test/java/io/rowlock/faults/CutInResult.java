package io.rowlock.faults;

import io.rowlock.testing.TcpProxy;
import io.rowlock.testing.TcpProxy.Planned;
import java.util.concurrent.atomic.AtomicInteger;

/** The connection is cut in the middle of a statement's result. */
final class CutInResult extends ThroughProxy {

  @Override
  public String told() {
    return "cut in the middle of a result";
  }

  @Override
  public int gap() {
    return 30;
  }

  @Override
  public void strike(Site site) {
    AtomicInteger nth = new AtomicInteger(1 + site.random().nextInt(20));
    Planned cut =
        proxy()
            .at(
                statement -> !statement.isEmpty() && nth.decrementAndGet() == 0,
                TcpProxy.Fault.CUT_IN_RESULT);
    if (happens(cut, site)) {
      site.injected();
    }
  }
}
