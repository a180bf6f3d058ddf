package io.rowlock.internal.hibernate;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hibernate.CacheMode;
import org.hibernate.HibernateException;
import org.hibernate.ReadOnlyMode;
import org.hibernate.engine.spi.EntityKey;
import org.hibernate.engine.spi.SessionImplementor;

/**
 * Loads the entities of rows that are locked already, in statements of their own: where the mapping
 * has joins to make, or where it decides which rows are entities at all. Such a restriction is
 * evaluated under the lock.
 *
 * <p>Stateless.
 */
final class LockedRows {

  /** How many ids a query with a list takes at once; Hibernate makes a list of composite ones. */
  private static final int CHUNK = 1000;

  /** Ids of one column are sent as an array, of most types. */
  private static final int LARGE_CHUNK = 30_000;

  private LockedRows() {}

  /**
   * The entities in the order of their ids; a row that is no instance of the entity is left out.
   */
  static Map<EntityKey, Object> load(
      SessionImplementor session, LockTarget target, Map<EntityKey, Object> ids) {
    ManagedInstances managed = ManagedInstances.withIds(session, target.persister(), ids.values());
    Map<EntityKey, Object> unknown = new LinkedHashMap<>();
    Map<EntityKey, Object> entities = new HashMap<>();
    ids.forEach(
        (key, id) -> {
          Object instance = session.getPersistenceContextInternal().getEntity(key);
          if (instance != null && managed.contains(instance)) {
            entities.put(key, instance);
          } else {
            unknown.put(key, id);
          }
        });
    if (target.isRestricted() && !entities.isEmpty()) {
      entities.keySet().retainAll(visible(session, target, entities.keySet()));
    }
    ManagedInstances.refreshAll(session, entities.values());
    entities.putAll(find(session, target, unknown));
    Map<EntityKey, Object> inOrder = new LinkedHashMap<>();
    ids.keySet().stream()
        .filter(entities::containsKey)
        .forEach(key -> inOrder.put(key, entities.get(key)));
    return inOrder;
  }

  private static Map<EntityKey, Object> find(
      SessionImplementor session, LockTarget target, Map<EntityKey, Object> wanted) {
    Map<EntityKey, Object> found = new HashMap<>();
    if (wanted.isEmpty()) {
      return found;
    }
    List<EntityKey> keys = List.copyOf(wanted.keySet());
    List<Object> ids = List.copyOf(wanted.values());
    int chunk = target.id().names().size() == 1 ? LARGE_CHUNK : CHUNK;
    for (int from = 0; from < ids.size(); from += chunk) {
      List<Object> some = ids.subList(from, Math.min(from + chunk, ids.size()));
      List<?> entities = findSome(session, target, some);
      for (int i = 0; i < some.size(); i++) {
        if (entities.get(i) != null) {
          found.put(keys.get(from + i), entities.get(i));
        }
      }
    }
    return found;
  }

  private static List<?> findSome(SessionImplementor session, LockTarget target, List<Object> ids) {
    try {
      return session.findMultiple(
          target.entity().type(),
          ids,
          // what the second-level cache holds is not what is locked
          CacheMode.IGNORE,
          session.isDefaultReadOnly() ? ReadOnlyMode.READ_ONLY : ReadOnlyMode.READ_WRITE);
    } catch (HibernateException e) {
      throw session.getExceptionConverter().convert(e);
    }
  }

  private static Set<EntityKey> visible(
      SessionImplementor session, LockTarget target, Collection<EntityKey> keys) {
    List<Object> all = keys.stream().map(EntityKey::getIdentifier).toList();
    Set<EntityKey> visible = new HashSet<>();
    for (int from = 0; from < all.size(); from += CHUNK) {
      session
          .createQuery(
              "select id(e) from "
                  + target.persister().getImportedName()
                  + " e where id(e) in :ids",
              Object.class)
          .setParameterList("ids", all.subList(from, Math.min(from + CHUNK, all.size())))
          .getResultList()
          .forEach(id -> visible.add(session.generateEntityKey(id, target.persister())));
    }
    return visible;
  }
}
