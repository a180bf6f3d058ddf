package io.rowlock.mixes;

import io.rowlock.IsolationLevel;
import io.rowlock.create.Pin;
import io.rowlock.lock.LockStrength;
import io.rowlock.mixes.Operation.Given;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Makes random mixes of units. */
final class Mixes {

  /** One unit of one thread. */
  record Step(int thread, IsolationLevel isolation, List<Operation> operations) {
    @Override
    public String toString() {
      return "thread " + thread + ", " + isolation + ": " + operations;
    }
  }

  private static final List<String> ALL =
      IntStream.range(0, 24).mapToObj(i -> String.format("k%02d", i)).toList();

  /** Rows that are there from the start, with ids in the order of the keys, and never deleted. */
  static final List<String> LASTING =
      IntStream.range(0, 24).filter(i -> i % 3 == 0).mapToObj(ALL::get).toList();

  private static final List<String> MORTAL =
      ALL.stream().filter(key -> !LASTING.contains(key)).toList();

  private final Random random;
  private final boolean ordered;

  /**
   * Makes mixes.
   *
   * @param ordered whether each unit takes its locks in one order over all units, so that none may
   *     deadlock: one call for an entity, the accounts before the meters
   */
  Mixes(Random random, boolean ordered) {
    this.random = random;
    this.ordered = ordered;
  }

  static Set<String> keys() {
    return new TreeSet<>(ALL);
  }

  List<Step> steps(int threads, int units) {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < threads * units; i++) {
      steps.add(new Step(i % threads, isolation(), operations()));
    }
    return steps;
  }

  private IsolationLevel isolation() {
    IsolationLevel[] levels = {
      IsolationLevel.READ_COMMITTED,
      IsolationLevel.READ_COMMITTED,
      IsolationLevel.REPEATABLE_READ,
      IsolationLevel.SERIALIZABLE
    };
    return levels[random.nextInt(levels.length)];
  }

  private List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    if (ordered) {
      int which = random.nextInt(3);
      if (which != 0) {
        operations.add(operation(Kind.ACCOUNT));
      }
      if (which != 1) {
        operations.add(operation(Kind.METER));
      }
    } else {
      for (int i = random.nextInt(4); i >= 0; i--) {
        operations.add(operation(Kind.values()[random.nextInt(2)]));
      }
    }
    return operations;
  }

  private Operation operation(Kind kind) {
    boolean batch = random.nextBoolean();
    return switch (random.nextInt(9)) {
      case 0, 1 -> new Operation.Get(kind, given(batch), batch, pin());
      case 2 -> new Operation.Insert(kind, given(batch), batch);
      case 3, 4 -> new Operation.Add(kind, given(batch), batch);
      case 5 -> new Operation.Latest(kind, given(batch), batch);
      case 6 ->
          kind == Kind.METER && random.nextBoolean()
              ? new Operation.Versions(kind, locked())
              : new Operation.Raise(kind, locked(), 1 + random.nextInt(9));
      case 7 -> {
        List<String> two = some(LASTING, 2);
        yield new Operation.Move(kind, two.get(0), two.get(1), 1 + random.nextInt(9));
      }
      default -> new Operation.Delete(kind, one(MORTAL));
    };
  }

  private Pin pin() {
    return switch (random.nextInt(3)) {
      case 0 -> Pin.none();
      case 1 -> Pin.keyShare();
      default -> Pin.with(LockStrength.NO_KEY_UPDATE);
    };
  }

  private List<Given> given(boolean batch) {
    List<Given> given = new ArrayList<>();
    for (int i = batch ? random.nextInt(12) : 0; i >= 0; i--) {
      given.add(new Given(one(ALL), random.nextInt(4)));
    }
    return given;
  }

  private List<String> locked() {
    return some(ALL, 1 + random.nextInt(5));
  }

  private List<String> some(List<String> of, int count) {
    List<String> shuffled = new ArrayList<>(of);
    Collections.shuffle(shuffled, random);
    return List.copyOf(shuffled.subList(0, count));
  }

  private String one(List<String> of) {
    return of.get(random.nextInt(of.size()));
  }
}
