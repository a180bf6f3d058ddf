package io.rowlock.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Rounds of one fault, for as long as it has, and until it was felt. */
final class Campaign {

  /** {@code -Drowlock.faults.duration=}: all faults together. */
  private static final Duration TOTAL =
      Duration.parse(System.getProperty("rowlock.faults.duration"));

  /** How many campaigns share it. */
  private static final int SHARES = 28;

  private static final int MOST_VAIN_ROUNDS = 20;

  private final Fault fault;
  private final OwnServer server;
  private final AtomicLong injected = new AtomicLong();
  private final List<Answer> answers = new ArrayList<>();
  private long unknownButCommitted;
  private final List<String> wrong = new ArrayList<>();

  Campaign(Fault fault, OwnServer server) {
    this.fault = fault;
    this.server = server;
  }

  void run(Report report) throws Exception {
    System.out.println("Fault '" + fault.told() + "', " + Seed.told());
    Tally tally = new Tally(fault::isFelt);
    try (fault;
        Application application = new Application(fault.setup(server), tally)) {
      long end = System.nanoTime() + TOTAL.toNanos() / SHARES;
      int round = 0;
      while (System.nanoTime() < end || (tally.felt() == 0 && round < MOST_VAIN_ROUNDS)) {
        if (!round(application, tally, round++)) {
          break;
        }
      }
    } finally {
      report.add(result(tally));
    }
    assertThat(wrong).as("wrong, with %s", Seed.told()).isEmpty();
    assertThat(injected).as("times injected").hasPositiveValue();
    assertThat(tally.felt()).as("attempts that failed by it").isPositive();
  }

  private boolean round(Application application, Tally tally, int number) throws Exception {
    Round round = new Round(fault, server, application, tally, Seed.of(fault.told(), number));
    try {
      wrong.addAll(round.run());
    } finally {
      injected.addAndGet(round.timesInjected());
      answers.addAll(round.answers());
      unknownButCommitted += round.unknownButCommitted();
    }
    return wrong.isEmpty();
  }

  private Result result(Tally tally) {
    return new Result(
        fault.told(),
        injected.get(),
        tally.felt(),
        answers.size(),
        tally.reruns(),
        answers.stream().filter(answer -> !answer.committed() && !answer.unknown()).count(),
        tally.unanswered(),
        answers.stream().filter(Answer::unknown).count(),
        unknownButCommitted,
        wrong);
  }
}
