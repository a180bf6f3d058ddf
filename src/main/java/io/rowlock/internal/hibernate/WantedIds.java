package io.rowlock.internal.hibernate;

import io.rowlock.MissingRowsException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The ids that a caller asked for, each once, in the order of the call.
 *
 * <p>Immutable; for one call.
 */
final class WantedIds {

  private final LockTarget target;
  private final Set<Object> ids;

  private WantedIds(LockTarget target, Set<Object> ids) {
    this.target = target;
    this.ids = ids;
  }

  /**
   * Takes the ids.
   *
   * @throws IllegalArgumentException if one is null or not of the id's type
   */
  static WantedIds of(LockTarget target, Collection<?> ids) {
    Set<Object> distinct = new LinkedHashSet<>();
    for (Object id : ids) {
      target.id().check(id);
      distinct.add(id);
    }
    return new WantedIds(target, distinct);
  }

  boolean isEmpty() {
    return ids.isEmpty();
  }

  Collection<Object> all() {
    return ids;
  }

  boolean contains(Object id) {
    return ids.contains(id);
  }

  /**
   * Checks that every id has its row.
   *
   * @param stored the ids of the rows, as they are stored
   * @throws MissingRowsException naming those that have none
   */
  void requireAll(Collection<?> stored, SessionSql sql) {
    List<Object> missing = new ArrayList<>(ids);
    missing.removeAll(new HashSet<>(stored));
    if (!missing.isEmpty() && !stored.isEmpty() && !target.id().equalAlike()) {
      // 1.0 and 1.00, or 'a' and 'A': the database may know the same row by another name
      List<Object> unknown = List.copyOf(missing);
      Set<Integer> found = sql.positions(target, unknown, stored);
      missing.clear();
      for (int i = 0; i < unknown.size(); i++) {
        if (!found.contains(i + 1)) {
          missing.add(unknown.get(i));
        }
      }
    }
    if (!missing.isEmpty()) {
      throw new MissingRowsException(target.entityName(), missing);
    }
  }
}
