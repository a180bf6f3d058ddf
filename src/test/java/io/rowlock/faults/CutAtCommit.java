package io.rowlock.faults;

import io.rowlock.testing.TcpProxy;
import io.rowlock.testing.TcpProxy.Planned;
import java.util.function.UnaryOperator;

/** The connection is cut around a COMMIT: before, while or after the server has it. */
final class CutAtCommit extends ThroughProxy {

  /** How long the server is left with a transaction that its client has lost. */
  private static final long ORPHANED_MILLIS = 200;

  private final String told;
  private final TcpProxy.Fault kind;
  private final UnaryOperator<Setup> change;

  CutAtCommit(String told, TcpProxy.Fault kind) {
    this(told, kind, UnaryOperator.identity());
  }

  CutAtCommit(String told, TcpProxy.Fault kind, UnaryOperator<Setup> change) {
    this.told = told;
    this.kind = kind;
    this.change = change;
  }

  @Override
  public Setup setup(OwnServer server) {
    return change.apply(super.setup(server));
  }

  @Override
  public String told() {
    return told;
  }

  @Override
  public int gap() {
    return 40;
  }

  @Override
  public void strike(Site site) throws Exception {
    Planned cut = proxy().atCommit(kind);
    if (happens(cut, site)) {
      site.injected();
      if (kind == TcpProxy.Fault.LOSE_BEFORE) {
        // others may wait for its locks
        site.pulse().await(site.pulse().beats() + 30, ORPHANED_MILLIS);
      }
    }
    cut.release();
  }
}
