package io.rowlock.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.testing.Await;
import io.rowlock.testing.Together;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A fault that lasts until it is felt must end also where nobody is left to feel it. */
class SiteTest {

  private final Tally tally = new Tally(failure -> true);
  private final Site site = new Site(null, null, tally, new Random(1));

  @Test
  void it_lasts_until_it_was_felt() throws Exception {
    site.workers().add(new Worker());
    AtomicBoolean over = new AtomicBoolean();
    Future<Void> feeling = Together.start(() -> feelUntil(over));
    long before = tally.felt();
    site.letBeFelt(2);
    assertThat(tally.felt() - before).isGreaterThanOrEqualTo(2);
    over.set(true);
    Together.get(feeling);
  }

  @Test
  void it_ends_when_all_who_have_calls_left_wait_for_its_end() throws Exception {
    site.outage().begins();
    Future<Void> first = Together.start(this::failDuringTheOutage);
    Future<Void> second = Together.start(this::failDuringTheOutage);
    Await.until("both wait", () -> site.outage().waiting() == 2);
    site.letBeFelt(2);
    assertThat(tally.felt()).isZero();
    site.outage().ends();
    Together.get(first);
    Together.get(second);
    assertThat(site.outage().waiting()).isZero();
  }

  @Test
  void it_ends_when_nobody_has_calls_left() {
    Worker worker = new Worker();
    site.workers().add(worker);
    worker.ends();
    site.letBeFelt(2);
    assertThat(tally.felt()).isZero();
  }

  private Void feelUntil(AtomicBoolean over) {
    while (!over.get()) {
      tally.interrupted();
      Thread.onSpinWait();
    }
    return null;
  }

  private Void failDuringTheOutage() throws InterruptedException {
    site.workers().add(new Worker());
    site.outage().awaitEnd();
    return null;
  }
}
