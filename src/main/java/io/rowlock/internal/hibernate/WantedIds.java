package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.engine.spi.EntityKey;
import org.hibernate.engine.spi.SessionImplementor;

/**
 * The ids that a caller asked for, each once, in the order of the call. Which ids are the same is
 * decided as Hibernate decides it, so that ids that are arrays will do.
 *
 * <p>Immutable; for one call on the thread of its session.
 */
final class WantedIds {

  private final SessionImplementor session;
  private final LockTarget target;
  private final Map<EntityKey, Object> ids;
  private final List<List<Object>> values;

  private WantedIds(SessionImplementor session, LockTarget target, Map<EntityKey, Object> ids) {
    this.session = session;
    this.target = target;
    this.ids = ids;
    this.values = target.id().valuesOf(ids.values(), session);
  }

  /**
   * Takes the ids.
   *
   * @throws IllegalArgumentException if one is null or not of the id's type, or a part of it is
   *     null
   * @throws UnsupportedMappingException if a column of the id takes what has no text form
   */
  static WantedIds of(SessionImplementor session, LockTarget target, Collection<?> ids) {
    Map<EntityKey, Object> distinct = new LinkedHashMap<>();
    for (Object id : ids) {
      target.id().check(id);
      distinct.putIfAbsent(session.generateEntityKey(id, target.persister()), id);
    }
    return new WantedIds(session, target, distinct);
  }

  boolean isEmpty() {
    return ids.isEmpty();
  }

  Collection<Object> all() {
    return ids.values();
  }

  /** The ids as the values of each column. */
  List<List<Object>> values() {
    return values;
  }

  boolean contains(EntityKey id) {
    return ids.containsKey(id);
  }

  /**
   * Those that have no row, in the order of the call.
   *
   * @param stored the ids of the rows, as they are stored
   */
  List<Object> missing(Map<EntityKey, ?> stored) {
    List<Object> missing =
        ids.entrySet().stream()
            .filter(id -> !stored.containsKey(id.getKey()))
            .map(Map.Entry::getValue)
            .collect(Collectors.toCollection(ArrayList::new));
    if (!missing.isEmpty() && !stored.isEmpty() && !target.id().equalAlike()) {
      // 1.0 and 1.00, or 'a' and 'A': the database may know the same row by another name
      List<Object> unknown = List.copyOf(missing);
      Set<Integer> found =
          new SessionSql(session)
              .positions(
                  target, unknown, stored.keySet().stream().map(EntityKey::getIdentifier).toList());
      missing.clear();
      for (int i = 0; i < unknown.size(); i++) {
        if (!found.contains(i + 1)) {
          missing.add(unknown.get(i));
        }
      }
    }
    return missing;
  }
}
