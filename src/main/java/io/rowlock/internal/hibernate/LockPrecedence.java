package io.rowlock.internal.hibernate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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

  private final Map<LockGroup, Set<LockGroup>> after = new LinkedHashMap<>();
  private final Map<LockGroup, Set<LockGroup>> reachable = new HashMap<>();

  LockPrecedence(List<LockGroup> groups) {
    groups.forEach(group -> after.put(group, new TreeSet<>(BY_NAME)));
  }

  /** The first group comes before the other one; a group's reference to itself means nothing. */
  void before(LockGroup first, LockGroup second) {
    if (!first.equals(second)) {
      after.get(first).add(second);
    }
  }

  /** All groups in order. */
  List<LockGroup> order() {
    after.keySet().forEach(group -> reachable.put(group, reachableFrom(group)));
    Map<LockGroup, Integer> waitsFor = new HashMap<>();
    after.forEach(
        (first, seconds) -> {
          waitsFor.putIfAbsent(first, 0);
          seconds.stream()
              .filter(second -> !onOneCycle(first, second))
              .forEach(second -> waitsFor.merge(second, 1, Integer::sum));
        });
    TreeSet<LockGroup> free = new TreeSet<>(BY_NAME);
    after.keySet().stream().filter(group -> waitsFor.get(group) == 0).forEach(free::add);
    List<LockGroup> order = new ArrayList<>();
    while (!free.isEmpty()) {
      LockGroup next = free.pollFirst();
      order.add(next);
      for (LockGroup second : after.get(next)) {
        if (!onOneCycle(next, second) && waitsFor.merge(second, -1, Integer::sum) == 0) {
          free.add(second);
        }
      }
    }
    return order;
  }

  /** Whether each of the two comes before the other, which is no order. */
  boolean onOneCycle(LockGroup one, LockGroup other) {
    return !one.equals(other)
        && reachable.get(one).contains(other)
        && reachable.get(other).contains(one);
  }

  /** A shortest cycle on which the two are, from the first one back to it. */
  List<LockGroup> cycle(LockGroup one, LockGroup other) {
    List<LockGroup> cycle = new ArrayList<>(path(one, other));
    cycle.addAll(path(other, one).subList(1, path(other, one).size()));
    return cycle;
  }

  private Set<LockGroup> reachableFrom(LockGroup start) {
    Set<LockGroup> seen = new LinkedHashSet<>();
    Deque<LockGroup> open = new ArrayDeque<>(after.get(start));
    while (!open.isEmpty()) {
      LockGroup next = open.poll();
      if (seen.add(next)) {
        open.addAll(after.get(next));
      }
    }
    return seen;
  }

  private List<LockGroup> path(LockGroup from, LockGroup to) {
    Map<LockGroup, LockGroup> cameFrom = new HashMap<>();
    Deque<LockGroup> open = new ArrayDeque<>(List.of(from));
    while (!cameFrom.containsKey(to)) {
      LockGroup next = open.remove();
      for (LockGroup second : after.get(next)) {
        if (cameFrom.putIfAbsent(second, next) == null) {
          open.add(second);
        }
      }
    }
    Deque<LockGroup> path = new ArrayDeque<>(List.of(to));
    do {
      path.push(cameFrom.get(path.peek()));
    } while (!path.peek().equals(from));
    return List.copyOf(path);
  }
}
