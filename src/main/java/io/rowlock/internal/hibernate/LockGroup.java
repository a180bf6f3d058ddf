package io.rowlock.internal.hibernate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What has one place in the order: the hierarchy of an entity, with all of its tables; together
 * with the other hierarchies that are stored in one of these tables too.
 *
 * @param name by which groups are ordered where nothing else says how: that of its first table
 * @param roots the entities at the roots
 * @param tables the tables, in the order in which they are locked
 * @param declared the declared place; the largest number there is if none is declared
 */
record LockGroup(String name, Set<String> roots, List<String> tables, int declared) {

  static final int UNDECLARED = Integer.MAX_VALUE;

  static LockGroup of(String root, List<LockTable> tables, int declared) {
    List<String> names = tables.stream().map(LockTable::key).toList();
    return new LockGroup(names.get(0), Set.of(root), names, declared);
  }

  /** The groups as one; they are given in an order. */
  static LockGroup merged(Collection<LockGroup> groups) {
    Set<String> roots = new LinkedHashSet<>();
    Set<String> tables = new LinkedHashSet<>();
    int declared = UNDECLARED;
    for (LockGroup group : groups) {
      roots.addAll(group.roots);
      tables.addAll(group.tables);
      declared = Math.min(declared, group.declared);
    }
    List<String> names = new ArrayList<>(tables);
    return new LockGroup(names.get(0), roots, List.copyOf(names), declared);
  }

  boolean isDeclared() {
    return declared != UNDECLARED;
  }

  boolean sharesATableWith(LockGroup other) {
    return tables.stream().anyMatch(other.tables::contains);
  }

  /** As messages show it. */
  @Override
  public String toString() {
    return String.join(" and ", roots.stream().sorted().toList()) + " (table " + name + ")";
  }
}
