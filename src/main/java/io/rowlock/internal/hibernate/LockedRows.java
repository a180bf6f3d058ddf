package io.rowlock.internal.hibernate;

import jakarta.persistence.criteria.CriteriaBuilder;
import jakarta.persistence.criteria.CriteriaQuery;
import jakarta.persistence.criteria.Root;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hibernate.CacheMode;
import org.hibernate.HibernateException;
import org.hibernate.ReadOnlyMode;
import org.hibernate.engine.spi.SessionImplementor;

/**
 * Loads the entities of rows that are locked already, in statements of their own: where the mapping
 * has joins to make, or where it decides which rows are entities at all. Such a restriction is
 * evaluated under the lock.
 *
 * <p>Stateless.
 */
final class LockedRows {

  /** How many ids a query with a list takes at once. */
  private static final int CHUNK = 1000;

  private LockedRows() {}

  /** The entities by id; a row that is no instance of the entity is left out. */
  static Map<Object, Object> load(SessionImplementor session, LockTarget target, List<Object> ids) {
    ManagedInstances managed = ManagedInstances.withIds(session, target.persister(), ids);
    List<Object> unknown = new ArrayList<>();
    Map<Object, Object> known = new HashMap<>();
    for (Object id : ids) {
      Object instance = instance(session, target, id);
      if (instance != null && managed.contains(instance)) {
        known.put(id, instance);
      } else {
        unknown.add(id);
      }
    }
    if (target.isRestricted() && !known.isEmpty()) {
      known.keySet().retainAll(visible(session, target, known.keySet()));
    }
    Map<Object, Object> entities = new HashMap<>(known);
    known.values().forEach(instance -> ManagedInstances.refresh(session, instance));
    entities.putAll(find(session, target, unknown));
    return entities;
  }

  private static Object instance(SessionImplementor session, LockTarget target, Object id) {
    return session
        .getPersistenceContextInternal()
        .getEntity(session.generateEntityKey(id, target.persister()));
  }

  private static Map<Object, Object> find(
      SessionImplementor session, LockTarget target, List<Object> ids) {
    Map<Object, Object> found = new HashMap<>();
    if (ids.isEmpty()) {
      return found;
    }
    try {
      List<?> entities =
          session.findMultiple(
              target.entity().type(),
              ids,
              // what the second-level cache holds is not what is locked
              CacheMode.IGNORE,
              session.isDefaultReadOnly() ? ReadOnlyMode.READ_ONLY : ReadOnlyMode.READ_WRITE);
      for (int i = 0; i < ids.size(); i++) {
        if (entities.get(i) != null) {
          found.put(ids.get(i), entities.get(i));
        }
      }
      return found;
    } catch (HibernateException e) {
      throw session.getExceptionConverter().convert(e);
    }
  }

  private static Set<Object> visible(
      SessionImplementor session, LockTarget target, Collection<Object> ids) {
    List<Object> all = List.copyOf(ids);
    Set<Object> visible = new HashSet<>();
    for (int from = 0; from < all.size(); from += CHUNK) {
      CriteriaBuilder builder = session.getCriteriaBuilder();
      CriteriaQuery<Object> query = builder.createQuery(Object.class);
      Root<?> root = query.from(target.entity().type());
      String id = target.persister().getIdentifierPropertyName();
      query.select(root.get(id));
      query.where(root.get(id).in(all.subList(from, Math.min(from + CHUNK, all.size()))));
      visible.addAll(session.createQuery(query).getResultList());
    }
    return visible;
  }
}
