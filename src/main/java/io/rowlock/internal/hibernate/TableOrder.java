package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.persister.entity.EntityPersister;

/**
 * The one order of a persistence unit over the tables of its entities: as declared; where nothing
 * is declared, parents before children by foreign key, then by name. The tables of a hierarchy
 * stand together.
 *
 * <p>Immutable; safe for use by any thread.
 */
final class TableOrder {

  private static final int LAST = Integer.MAX_VALUE;
  private static final Map<SessionFactoryImplementor, TableOrder> KNOWN = new WeakHashMap<>();

  private final Map<String, Integer> places = new HashMap<>();
  private final Map<String, LockGroup> groups = new HashMap<>();
  private final Map<String, LockGroup> byRoot = new HashMap<>();
  private final LockPrecedence precedence;

  private TableOrder(SessionFactoryImplementor factory) {
    List<EntityPersister> entities = new ArrayList<>();
    factory.getMappingMetamodel().forEachEntityDescriptor(entities::add);
    List<LockGroup> all = groups(entities, DeclaredOrder.of(factory, entities));
    for (LockGroup group : all) {
      group.tables().forEach(table -> groups.put(table, group));
      group.roots().forEach(root -> byRoot.put(root, group));
    }
    this.precedence = new LockPrecedence(all);
    addDeclared(all);
    entities.forEach(this::addForeignKeys);
    for (LockGroup group : precedence.order()) {
      group.tables().forEach(table -> places.put(table, places.size()));
    }
  }

  /**
   * The order of the factory; computed once.
   *
   * @throws IllegalArgumentException if what is declared is wrong
   */
  static TableOrder of(SessionFactoryImplementor factory) {
    synchronized (KNOWN) {
      TableOrder known = KNOWN.get(factory);
      if (known == null) {
        known = new TableOrder(factory);
        KNOWN.put(factory, known);
      }
      return known;
    }
  }

  /** The things in the order of their tables; a table that is not an entity's comes last. */
  <T> List<T> sorted(Collection<T> things, Function<T, String> table) {
    return things.stream()
        .sorted(
            Comparator.comparing(
                    (T thing) -> places.getOrDefault(LockTable.key(table.apply(thing)), LAST))
                .thenComparing(table))
        .toList();
  }

  /** The place of the entity's first table. */
  int place(EntityPersister entity) {
    LockGroup group = byRoot.get(entity.getRootEntityName());
    return group == null ? LAST : places.getOrDefault(group.tables().get(0), LAST);
  }

  /**
   * Checks that tables have an order among each other.
   *
   * @throws UnsupportedMappingException if there is none, as their foreign keys form a cycle
   */
  void requireOrder(Collection<String> tables) {
    List<LockGroup> wanted =
        tables.stream()
            .map(LockTable::key)
            .filter(groups::containsKey)
            .map(groups::get)
            .distinct()
            .toList();
    for (int i = 0; i < wanted.size(); i++) {
      for (LockGroup other : wanted.subList(i + 1, wanted.size())) {
        if (precedence.onOneCycle(wanted.get(i), other)) {
          throw cycle(wanted.get(i), other);
        }
      }
    }
  }

  private UnsupportedMappingException cycle(LockGroup one, LockGroup other) {
    return new UnsupportedMappingException(
        one.roots().iterator().next(),
        "There is no order in which to lock rows of "
            + one
            + " and "
            + other
            + ": each is a parent of the other, "
            + precedence.cycle(one, other).stream()
                .map(LockGroup::toString)
                .collect(Collectors.joining(" -> "))
            + ". Declare their order, by @LockOrder on both entities or by the setting "
            + HibernateFactory.LOCK_ORDER);
  }

  /** Those with many tables first, so that their own order counts in what they share. */
  private static List<LockGroup> groups(List<EntityPersister> entities, DeclaredOrder declared) {
    List<LockGroup> found = new ArrayList<>();
    for (EntityPersister entity : entities) {
      EntityTable table = EntityTable.of(entity);
      if (entity.getEntityName().equals(entity.getRootEntityName())
          && EntityTables.hasTables(table)) {
        found.add(
            LockGroup.of(entity.getEntityName(), EntityTables.of(table), declared.of(entity)));
      }
    }
    found.sort(
        Comparator.comparing((LockGroup group) -> -group.tables().size())
            .thenComparing(group -> group.roots().iterator().next()));
    List<LockGroup> merged = new ArrayList<>();
    for (LockGroup group : found) {
      List<LockGroup> together =
          new ArrayList<>(merged.stream().filter(group::sharesATableWith).toList());
      merged.removeAll(together);
      together.add(group);
      merged.add(LockGroup.merged(together));
    }
    return merged;
  }

  private void addDeclared(List<LockGroup> all) {
    for (LockGroup first : all) {
      for (LockGroup second : all) {
        if (second.isDeclared() && first.declared() < second.declared()) {
          precedence.before(first, second);
        }
      }
    }
  }

  private void addForeignKeys(EntityPersister entity) {
    ForeignKeys.forEach(
        entity,
        (table, root) -> {
          LockGroup child =
              table.startsWith("(")
                  ? byRoot.get(entity.getRootEntityName())
                  : groups.get(LockTable.key(table));
          LockGroup parent = byRoot.get(root);
          if (child != null && parent != null && !orderIsDeclared(child, parent)) {
            precedence.before(parent, child);
          }
        });
  }

  private static boolean orderIsDeclared(LockGroup child, LockGroup parent) {
    return child.isDeclared() && parent.isDeclared() && child.declared() != parent.declared();
  }
}
