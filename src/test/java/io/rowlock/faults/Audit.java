package io.rowlock.faults;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Holds the answers against the rows. The journal says which calls have happened; it must agree
 * with what their callers were told, and everything else that is stored must be what exactly those
 * calls do.
 */
final class Audit {

  private final OwnServer server;
  private final List<Answer> answers;
  private final List<String> found = new ArrayList<>();
  private final List<Answer> happened = new ArrayList<>();

  Audit(OwnServer server, List<Answer> answers) {
    this.server = server;
    this.answers = answers;
  }

  /** What is wrong. */
  List<String> found() throws SQLException {
    journal();
    counters();
    ledger();
    labels();
    return found;
  }

  /** How many of the unknown ones were committed. */
  long unknownButCommitted() {
    return happened.stream().filter(Answer::unknown).count();
  }

  /** Committed: exactly once. Failed: not at all. Unknown: once or not at all. */
  private void journal() throws SQLException {
    Map<Object, Object> times = map("select token, count(*)::int from entry group by token");
    for (Answer answer : answers) {
      int stored = (Integer) times.getOrDefault(answer.call().token(), 0);
      times.remove(answer.call().token());
      boolean right =
          answer.committed() ? stored == 1 : answer.unknown() ? stored <= 1 : stored == 0;
      if (!right) {
        found.add(
            (answer.committed() ? "committed" : answer.unknown() ? "unknown" : "failed")
                + ", but there "
                + stored
                + " times: "
                + answer.call()
                + (answer.failure() == null ? "" : ": " + Told.of(answer.failure())));
      }
      if (answer.announced() != (answer.committed() ? 1 : 0)) {
        found.add("work after the commit done " + answer.announced() + " times: " + answer);
      }
      if (stored > 0) {
        happened.add(answer);
      }
    }
    times.forEach((token, count) -> found.add("in the journal, but never asked for: " + token));
  }

  private void counters() throws SQLException {
    Map<Object, Object> expected = new HashMap<>();
    for (Answer answer : happened) {
      answer
          .call()
          .counters()
          .forEach(
              (name, amount) ->
                  expected.merge(name, amount.longValue(), (a, b) -> (Long) a + (Long) b));
    }
    same("counters", expected, map("select name, amount from counter"));
  }

  private void ledger() throws SQLException {
    Map<Object, Object> expected = new HashMap<>();
    for (long id = 0; id < Calls.ACCOUNTS; id++) {
      expected.put(id, Calls.OPENING_BALANCE);
    }
    for (Answer answer : happened) {
      Call call = answer.call();
      expected.merge(call.from(), (long) -call.amount(), (a, b) -> (Long) a + (Long) b);
      expected.merge(call.to(), (long) call.amount(), (a, b) -> (Long) a + (Long) b);
    }
    same("balances", expected, map("select id, balance from account"));
    Object total = server.column("select sum(balance)::bigint from account").get(0);
    if (!total.equals(Calls.ACCOUNTS * Calls.OPENING_BALANCE)) {
      found.add("the ledger's total is " + total);
    }
  }

  /** One row for each code that was asked for, made by a call that happened and knows of it. */
  private void labels() throws SQLException {
    Map<Object, Object> uses = new HashMap<>();
    Map<String, Set<String>> askedBy = new HashMap<>();
    Map<String, Answer> byToken = new HashMap<>();
    for (Answer answer : happened) {
      Call call = answer.call();
      byToken.put(call.token(), answer);
      for (String code : call.codes()) {
        uses.merge(code, call.form().upserts() ? 1L : 0L, (a, b) -> (Long) a + (Long) b);
        askedBy.computeIfAbsent(code, key -> new HashSet<>()).add(call.token());
      }
    }
    same("labels with their uses", uses, map("select code, uses from label"));
    Map<Object, Object> owners = map("select code, owner from label");
    owners.forEach(
        (code, owner) -> {
          Answer creator = byToken.get(owner);
          if (creator == null || !askedBy.getOrDefault(code, Set.of()).contains(owner)) {
            found.add("label " + code + " belongs to " + owner + ", which has not happened");
          } else if (creator.committed() && !creator.created().contains(code)) {
            found.add("label " + code + " was created by " + owner + ", who was not told so");
          }
        });
    for (Answer answer : happened) {
      for (String code : answer.created()) {
        if (!answer.call().token().equals(owners.get(code))) {
          found.add(
              answer.call().token()
                  + " was told to have created "
                  + code
                  + ", but it is of "
                  + owners.get(code));
        }
      }
    }
  }

  private void same(String what, Map<Object, Object> expected, Map<Object, Object> stored) {
    Set<Object> keys = new HashSet<>(expected.keySet());
    keys.addAll(stored.keySet());
    for (Object key : keys) {
      Object wanted = expected.get(key);
      if (wanted == null || !wanted.equals(stored.get(key))) {
        found.add(what + ": " + key + " is " + stored.get(key) + ", should be " + wanted);
      }
    }
  }

  /** Two columns as a map; a key that comes twice is wrong. */
  private Map<Object, Object> map(String sql) throws SQLException {
    Map<Object, Object> map = new HashMap<>();
    for (List<Object> row : server.rows(sql)) {
      if (map.put(row.get(0), row.get(1)) != null) {
        found.add("twice in '" + sql + "': " + row.get(0));
      }
    }
    return map;
  }
}
