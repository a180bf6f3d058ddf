package io.rowlock.faults;

import io.rowlock.IsolationLevel;
import io.rowlock.faults.Call.Form;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Draws the calls of a round. */
final class Calls {

  static final int ACCOUNTS = 12;
  static final long OPENING_BALANCE = 1000;

  private static final int COUNTERS = 6;
  private static final int CODES = 80;

  private final Random random;
  private final List<IsolationLevel> levels;

  Calls(Random random, List<IsolationLevel> levels) {
    this.random = random;
    this.levels = levels;
  }

  /** The calls of each thread. */
  List<List<Call>> draw(int threads, int calls) {
    List<List<Call>> all = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      List<Call> own = new ArrayList<>();
      for (int i = 0; i < calls; i++) {
        own.add(call("t" + thread + "c" + i));
      }
      all.add(own);
    }
    return all;
  }

  private Call call(String token) {
    List<String> accounts = some("", ACCOUNTS, 2);
    Form form = Form.values()[random.nextInt(Form.values().length)];
    boolean one = form == Form.GET || form == Form.INSERT || form == Form.UPSERT;
    return new Call(
        token,
        levels.get(random.nextInt(levels.size())),
        counters(),
        Long.parseLong(accounts.get(0)),
        Long.parseLong(accounts.get(1)),
        1 + random.nextInt(9),
        form,
        some("code", CODES, one ? 1 : 1 + random.nextInt(6)),
        random.nextInt(4) == 0,
        random.nextBoolean());
  }

  private Map<String, Integer> counters() {
    Map<String, Integer> counters = new LinkedHashMap<>();
    for (String name : some("counter", COUNTERS, 1 + random.nextInt(2))) {
      counters.put(name, 1 + random.nextInt(5));
    }
    return counters;
  }

  private List<String> some(String prefix, int of, int count) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < of; i++) {
      names.add(prefix + i);
    }
    Collections.shuffle(names, random);
    return List.copyOf(names.subList(0, count));
  }
}
