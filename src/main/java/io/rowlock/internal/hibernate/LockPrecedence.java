package io.rowlock.internal.hibernate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which group comes before which, and the one order that follows from it: of the groups that may
 * come next, always the one with the smallest name. Groups on a cycle have no order among each
 * other.
 *
 * <p>Not thread-safe while it is built.
 */
final class LockPrecedence {

  private static final Comparator<LockGroup> BY_NAME =
      Comparator.comparing(LockGroup::name)
          .thenComparing(group -> String.join(",", group.tables()));

  private final Set<LockGroup> groups = new TreeSet<>(BY_NAME);
  private final Map<LockGroup, Set<LockGroup>> after = new HashMap<>();
  private final Map<LockGroup, Set<LockGroup>> reachable = new HashMap<>();

  LockPrecedence(List<LockGroup> groups) {
    this.groups.addAll(groups);
  }

  /** The first group comes before the other one; a group's reference to itself means nothing. */
  void before(LockGroup first, LockGroup second) {
    if (!first.equals(second)) {
      after.computeIfAbsent(first, group -> new TreeSet<>(BY_NAME)).add(second);
    }
  }

  /** All groups in order; nothing can be added afterwards. */
  List<LockGroup> order() {
    groups.forEach(group -> reachable.put(group, reachableFrom(group)));
    Map<LockGroup, Integer> waitsFor = new HashMap<>();
    for (LockGroup first : groups) {
      for (LockGroup second : after(first)) {
        if (!onOneCycle(first, second)) {
          waitsFor.merge(second, 1, Integer::sum);
        }
      }
    }
    TreeSet<LockGroup> free = new TreeSet<>(BY_NAME);
    groups.stream().filter(group -> !waitsFor.containsKey(group)).forEach(free::add);
    List<LockGroup> order = new ArrayList<>();
    while (!free.isEmpty()) {
      LockGroup next = free.first();
      free.remove(next);
      order.add(next);
      for (LockGroup second : after(next)) {
        if (!onOneCycle(next, second) && waitsFor.merge(second, -1, Integer::sum) == 0) {
          free.add(second);
        }
      }
    }
    return order;
  }

  /** Whether each of the two comes before the other, which is no order. */
  boolean onOneCycle(LockGroup one, LockGroup other) {
    return !one.equals(other) && isReachable(one, other) && isReachable(other, one);
  }

  /** A shortest cycle on which the two are, from the first one back to it. */
  List<LockGroup> cycle(LockGroup one, LockGroup other) {
    List<LockGroup> cycle = new ArrayList<>(path(one, other));
    List<LockGroup> back = path(other, one);
    cycle.addAll(back.subList(1, back.size()));
    return cycle;
  }

  private Set<LockGroup> after(LockGroup group) {
    return after.getOrDefault(group, Set.of());
  }

  private boolean isReachable(LockGroup from, LockGroup to) {
    return reachable.getOrDefault(from, Set.of()).contains(to);
  }

  private Set<LockGroup> reachableFrom(LockGroup start) {
    Set<LockGroup> seen = new HashSet<>();
    Deque<LockGroup> open = new ArrayDeque<>(after(start));
    while (!open.isEmpty()) {
      LockGroup next = open.remove();
      if (seen.add(next)) {
        open.addAll(after(next));
      }
    }
    return seen;
  }

  /** The shortest path to a group that is reachable. */
  private List<LockGroup> path(LockGroup from, LockGroup to) {
    Deque<List<LockGroup>> open = new ArrayDeque<>(List.of(List.of(from)));
    Set<LockGroup> seen = new HashSet<>();
    while (true) {
      List<LockGroup> path = open.remove();
      for (LockGroup next : after(path.get(path.size() - 1))) {
        List<LockGroup> longer = new ArrayList<>(path);
        longer.add(next);
        if (next.equals(to)) {
          return longer;
        }
        if (seen.add(next)) {
          open.add(longer);
        }
      }
    }
  }
}
