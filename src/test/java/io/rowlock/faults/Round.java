package io.rowlock.faults;

import static io.rowlock.retry.FailureKind.CONNECTION_LOST;

import io.rowlock.UnitInterruptedException;
import io.rowlock.UnitOfWork;
import io.rowlock.testing.Together;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** So many calls by several threads, while the fault strikes. */
final class Round {

  private static final int THREADS = 6;
  private static final int CALLS = 12;

  private final Fault fault;
  private final Site site;
  private final long seed;
  private final List<Answer> answers = new CopyOnWriteArrayList<>();
  private long unknownButCommitted;
  private final List<String> wrong = new CopyOnWriteArrayList<>();

  Round(Fault fault, OwnServer server, Application application, Tally tally, long seed) {
    this.fault = fault;
    this.site = new Site(server, application, tally, new Random(seed));
    this.seed = seed;
  }

  List<Answer> answers() {
    return answers;
  }

  long timesInjected() {
    return site.timesInjected();
  }

  long unknownButCommitted() {
    return unknownButCommitted;
  }

  /** Runs it; answers what was wrong. */
  List<String> run() throws Exception {
    Tables.empty(site.server());
    List<List<Call>> calls =
        new Calls(new Random(seed), site.application().setup().levels()).draw(THREADS, CALLS);
    Future<Void> striking = Together.start(this::strike);
    try {
      Together.run(THREADS, number -> makeAll(calls.get(number)));
    } finally {
      site.pulse().end();
    }
    Together.get(striking);
    fault.heal(site);
    List<String> all = new ArrayList<>(wrong);
    all.addAll(new Leftovers(site).found());
    Audit audit = new Audit(site.server(), answers);
    all.addAll(audit.found());
    unknownButCommitted = audit.unknownButCommitted();
    return all;
  }

  private Void strike() throws Exception {
    try {
      while (site.letPass(fault.gap())) {
        fault.strike(site);
      }
      return null;
    } finally {
      site.outage().ends();
    }
  }

  private Void makeAll(List<Call> calls) throws InterruptedException {
    Worker worker = new Worker();
    site.workers().add(worker);
    try {
      makeAll(calls, worker);
    } finally {
      worker.ends();
    }
    return null;
  }

  private void makeAll(List<Call> calls, Worker worker) throws InterruptedException {
    for (Call call : calls) {
      worker.enters();
      Answer answer = make(call);
      boolean interrupted = worker.leaves();
      if (Thread.interrupted() != interrupted) {
        wrong.add(
            (interrupted ? "the interrupt of " : "nobody interrupted ") + call + ": " + answer);
      }
      answers.add(answer);
      judge(answer);
      if (answer.failure() != null) {
        site.outage().awaitEnd();
      }
    }
  }

  private Answer make(Call call) {
    AtomicInteger announced = new AtomicInteger();
    try {
      Set<String> created =
          site.application()
              .rowlock()
              .named(call.token())
              .isolation(call.isolation())
              .retrying(policy -> call.persistent() ? policy.alsoAfter(CONNECTION_LOST) : policy)
              .call(
                  unit ->
                      new Work(
                              call,
                              unit,
                              site.application().setup().locking(),
                              (place, within) -> step(call, place, within),
                              announced::incrementAndGet)
                          .run());
      return new Answer(call, announced.get(), created, null);
    } catch (Throwable e) {
      return new Answer(call, announced.get(), Set.of(), e);
    }
  }

  private void step(Call call, int place, UnitOfWork unit) throws Exception {
    site.pulse().beat();
    long drawn = Seed.mixed(seed, call.token().hashCode(), unit.info().attempt());
    fault.strikeIn(site, call, unit, place, new Random(drawn));
  }

  private void judge(Answer answer) {
    Throwable failure = answer.failure();
    if (failure instanceof UnitInterruptedException) {
      site.tally().interrupted();
    }
    if (failure != null && !answer.unknown() && !fault.mayEndACall(failure)) {
      wrong.add("an unexpected failure of " + answer.call() + ": " + Told.of(failure));
    }
  }
}
