package io.rowlock.faults;

/** The server ends under the units, in one of three ways, and is started again. */
enum ServerEnds implements Fault {
  /** SIGKILL to all of its processes at once. */
  KILLED("SIGKILL to the server, start") {
    @Override
    void end(OwnServer server) {
      server.kill();
    }
  },
  /** SIGKILL to the first process; the backends see that it is gone, some after a COMMIT. */
  ORPHANED("SIGKILL to the postmaster, start") {
    @Override
    void end(OwnServer server) {
      server.killPostmaster();
    }
  },
  /** A stop in "fast" mode. */
  STOPPED("fast stop, start") {
    @Override
    void end(OwnServer server) {
      server.stopFast();
    }
  };

  private final String told;

  ServerEnds(String told) {
    this.told = told;
  }

  abstract void end(OwnServer server);

  @Override
  public String told() {
    return told;
  }

  @Override
  public int gap() {
    return 500;
  }

  @Override
  public void strike(Site site) {
    site.outage().begins();
    try {
      end(site.server());
      site.injected();
    } finally {
      site.server().startAgain();
      site.outage().ends();
    }
  }

  @Override
  public boolean isFelt(Throwable failure) {
    return Symptom.isConnectionLost(failure);
  }
}
