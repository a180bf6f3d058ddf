package io.rowlock.faults;

import io.rowlock.UnitOfWork;
import io.rowlock.create.GetOrCreateResult;
import io.rowlock.create.InsertResult;
import io.rowlock.create.Upsert;
import io.rowlock.create.UpsertResult;
import io.rowlock.lock.Locking;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One attempt of a call: the unit's function. Between its steps it may fall into a trap. */
final class Work {

  /** How many places between its steps a unit has. */
  static final int PLACES = 6;

  private static final Upsert COUNTING = Upsert.defaults().adding("amount");
  private static final Upsert USING = Upsert.defaults().replacing("note").adding("uses");

  /** What may happen between two steps. */
  @FunctionalInterface
  interface Trap {
    void at(int place, UnitOfWork unit) throws Exception;
  }

  private final Call call;
  private final UnitOfWork unit;
  private final Locking locking;
  private final Trap trap;
  private final Runnable announcement;

  Work(Call call, UnitOfWork unit, Locking locking, Trap trap, Runnable announcement) {
    this.call = call;
    this.unit = unit;
    this.locking = locking;
    this.trap = trap;
    this.announcement = announcement;
  }

  /** Does it all; answers which labels were created. */
  Set<String> run() throws Exception {
    unit.afterCommit(announcement::run);
    trap.at(0, unit);
    count();
    trap.at(1, unit);
    transfer();
    trap.at(2, unit);
    Set<String> created = labels();
    trap.at(3, unit);
    unit.entityManager().persist(new Entry(call.token(), unit.info().attempt()));
    trap.at(4, unit);
    if (call.reading()) {
      read();
    }
    trap.at(5, unit);
    return created;
  }

  private void count() {
    List<Counter> counters =
        call.counters().entrySet().stream()
            .map(entry -> new Counter(entry.getKey(), entry.getValue()))
            .toList();
    if (counters.size() == 1) {
      unit.upsert(counters.get(0), COUNTING);
    } else {
      unit.upsertAll(counters, COUNTING);
    }
  }

  private void transfer() {
    Map<Long, Account> locked = unit.lock(Account.class, List.of(call.from(), call.to()), locking);
    locked.get(call.from()).balance -= call.amount();
    locked.get(call.to()).balance += call.amount();
  }

  private Set<String> labels() {
    List<Label> labels =
        call.codes().stream()
            .map(code -> new Label(code, call.token(), call.form().upserts() ? 1 : 0))
            .toList();
    Set<String> created = new LinkedHashSet<>();
    switch (call.form()) {
      case GET -> got(List.of(unit.getOrCreate(labels.get(0))), created);
      case GET_ALL -> got(unit.getOrCreateAll(labels), created);
      case INSERT -> inserted(List.of(unit.insertIfAbsent(labels.get(0))), created);
      case INSERT_ALL -> inserted(unit.insertIfAbsentAll(labels), created);
      case UPSERT -> upserted(List.of(unit.upsert(labels.get(0), USING)), created);
      case UPSERT_ALL -> upserted(unit.upsertAll(labels, USING), created);
    }
    return created;
  }

  private void got(List<GetOrCreateResult<Label>> results, Set<String> created) {
    for (int i = 0; i < results.size(); i++) {
      same(call.codes().get(i), results.get(i).entity());
      if (results.get(i).created()) {
        created.add(call.codes().get(i));
      }
    }
  }

  private void inserted(List<InsertResult<Label>> results, Set<String> created) {
    for (int i = 0; i < results.size(); i++) {
      String code = call.codes().get(i);
      results
          .get(i)
          .entity()
          .ifPresent(
              label -> {
                same(code, label);
                created.add(code);
              });
    }
  }

  private void upserted(List<UpsertResult<Label>> results, Set<String> created) {
    for (int i = 0; i < results.size(); i++) {
      same(call.codes().get(i), results.get(i).entity());
      if (results.get(i).outcome() == UpsertResult.Outcome.CREATED) {
        created.add(call.codes().get(i));
      }
    }
  }

  private static void same(String code, Label label) {
    if (!label.code.equals(code)) {
      throw new WrongAnswer("asked for " + code + ", got " + label.code);
    }
  }

  /** Whoever reads it in one statement sees all of a transfer or nothing. */
  private void read() {
    Number total =
        (Number)
            unit.entityManager()
                .createQuery("select sum(a.balance) from Account a", Long.class)
                .getSingleResult();
    if (total.longValue() != Calls.ACCOUNTS * Calls.OPENING_BALANCE) {
      throw new WrongAnswer("the ledger's total is " + total);
    }
  }

  /** Something was read that must not be. */
  static final class WrongAnswer extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WrongAnswer(String message) {
      super(message);
    }
  }
}
