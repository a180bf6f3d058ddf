package io.rowlock.faults;

import io.rowlock.testing.Await;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** What a fault has at hand during a round. */
final class Site {

  private final OwnServer server;
  private final Application application;
  private final Pulse pulse = new Pulse();
  private final Outage outage = new Outage();
  private final AtomicLong injected = new AtomicLong();
  private final List<Worker> workers = new CopyOnWriteArrayList<>();
  private final Random random;

  private final Tally tally;

  Site(OwnServer server, Application application, Tally tally, Random random) {
    this.server = server;
    this.application = application;
    this.tally = tally;
    this.random = random;
  }

  OwnServer server() {
    return server;
  }

  Application application() {
    return application;
  }

  Pulse pulse() {
    return pulse;
  }

  Outage outage() {
    return outage;
  }

  List<Worker> workers() {
    return workers;
  }

  /** How many workers make calls, or will without waiting for the end of an outage. */
  private long calling() {
    return workers.stream().filter(worker -> !worker.isDone()).count() - outage.waiting();
  }

  Tally tally() {
    return tally;
  }

  /** The thread's own that injects; units must not ask it. */
  Random random() {
    return random;
  }

  /** The fault has struck once. */
  void injected() {
    injected.incrementAndGet();
  }

  long timesInjected() {
    return injected.get();
  }

  /** Lets so many steps pass at most; false if the round is over. */
  boolean letPass(int steps) throws InterruptedException {
    return pulse.await(pulse.beats() + 1 + random.nextInt(steps));
  }

  /**
   * As long as the fault lasts: until so many more attempts have felt it, or nobody is left who
   * could before it ends.
   */
  void letBeFelt(int times) {
    long before = tally.felt();
    Await.until(
        "the fault is felt " + times + " times more",
        () -> tally.felt() - before >= times || calling() == 0 || pulse.isOver());
  }
}
