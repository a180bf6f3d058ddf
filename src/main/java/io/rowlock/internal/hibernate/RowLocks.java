package io.rowlock.internal.hibernate;

import io.rowlock.LockNotAvailableException;
import io.rowlock.MissingRowsException;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.lock.LockPlan;
import io.rowlock.lock.Locked;
import io.rowlock.lock.Locking;
import jakarta.persistence.EntityManager;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.hibernate.engine.spi.EntityKey;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.persister.entity.EntityPersister;

/**
 * Locks known rows in the order of their ids.
 *
 * <p>Safe for use by any thread; each call is for the thread of its entity manager.
 */
public final class RowLocks {

  private final Map<EntityPersister, LockTarget> targets = new ConcurrentHashMap<>();

  /** Knows no entity yet; what it learns of a mapping it keeps. */
  public RowLocks() {}

  /**
   * Locks the rows with the given ids, then answers their entities as they are under the lock.
   *
   * @return the managed entities by the id that is stored, in the order in which they were locked;
   *     unmodifiable
   * @throws IllegalArgumentException if the type is no entity, or an id is null or of another type
   * @throws UnsupportedMappingException if rows of the entity cannot be locked by id
   * @throws MissingRowsException if a row does not exist
   * @throws LockNotAvailableException if a lock was waited for in vain
   */
  public <K, E> Map<K, E> lock(
      EntityManager manager, Class<E> type, Collection<? extends K> ids, Locking how) {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(ids, "ids");
    Objects.requireNonNull(how, "how");
    SessionImplementor session = manager.unwrap(SessionImplementor.class);
    LockRequest request = request(session, type, ids, how, true);
    if (request.wanted().isEmpty()) {
      return Map.of();
    }
    LockCall call = new LockCall(session, List.of(request), how);
    session.flush();
    call.lock();
    return answer(call.entities().getOrDefault(request, Map.of()));
  }

  /**
   * Locks the rows that a plan names, in the one order of the persistence unit over the tables,
   * then answers their entities as they are under the lock.
   *
   * @throws IllegalArgumentException if a type is no entity, or an id is of another type
   * @throws UnsupportedMappingException if rows of an entity cannot be locked by id, or the
   *     entities have no order
   * @throws MissingRowsException if a row does not exist
   * @throws LockNotAvailableException if a lock was waited for in vain
   */
  public Locked lock(EntityManager manager, LockPlan plan) {
    Objects.requireNonNull(plan, "plan");
    SessionImplementor session = manager.unwrap(SessionImplementor.class);
    Map<Class<?>, LockRequest> requests = new LinkedHashMap<>();
    plan.ids()
        .forEach(
            (type, ids) -> requests.put(type, request(session, type, ids, plan.locking(), true)));
    List<LockRequest> inOrder =
        TableOrder.of(session.getFactory())
            .sorted(requests.values(), request -> request.target().tables().get(0).name());
    LockCall call = new LockCall(session, inOrder, plan.locking());
    Map<LockRequest, Map<Object, Object>> found = Map.of();
    if (call.asksForRows()) {
      session.flush();
      call.lock();
      found = call.entities();
    }
    Map<Class<?>, Map<Object, Object>> entities = new LinkedHashMap<>();
    for (LockRequest request : inOrder) {
      entities.put(request.target().entity().type(), found.getOrDefault(request, Map.of()));
    }
    return new Locked(entities);
  }

  /**
   * Raises the versions of the rows with the given ids by one, in one statement after the one that
   * locks them.
   *
   * @return the new versions by the id that is stored, in the order in which the rows were locked;
   *     unmodifiable
   * @throws IllegalArgumentException see {@link #lock}
   * @throws UnsupportedMappingException if the entity has no integral version, and see {@link
   *     #lock}
   * @throws MissingRowsException see {@link #lock}
   * @throws LockNotAvailableException see {@link #lock}
   */
  public <K> Map<K, Long> incrementVersions(
      EntityManager manager, Class<?> type, Collection<? extends K> ids) {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(ids, "ids");
    SessionImplementor session = manager.unwrap(SessionImplementor.class);
    LockTarget target = target(session, type);
    target.versionColumn();
    LockRequest request = request(session, type, ids, Locking.defaults(), false);
    if (request.wanted().isEmpty()) {
      return Map.of();
    }
    LockCall call = new LockCall(session, List.of(request), Locking.defaults());
    session.flush();
    call.lock();
    call.requireRows();
    Map<Object, Long> versions = new LinkedHashMap<>();
    request
        .lockedIds()
        .forEach((table, locked) -> versions.putAll(raised(session, target, table, locked)));
    List<Object> locked = List.copyOf(versions.keySet());
    CachedRows.changed(session, target.persister(), locked);
    LockedInstances.refreshManaged(session, target, request.wanted(), locked);
    return answer(versions);
  }

  /** The new versions in the order of the ids. */
  private static Map<Object, Long> raised(
      SessionImplementor session, LockTarget target, LockTable table, List<Object> ids) {
    Map<Object, Long> versions = new LinkedHashMap<>();
    if (!ids.isEmpty()) {
      Map<EntityKey, Long> raised = new SessionSql(session).incrementVersions(target, table, ids);
      ids.forEach(
          id -> versions.put(id, raised.get(session.generateEntityKey(id, target.persister()))));
    }
    return versions;
  }

  private LockRequest request(
      SessionImplementor session, Class<?> type, Collection<?> ids, Locking how, boolean loading) {
    LockTarget target = target(session, type);
    return new LockRequest(session, target, WantedIds.of(session, target, ids), how, loading);
  }

  /** How rows of the entity are locked. */
  LockTarget target(SessionImplementor session, Class<?> type) {
    EntityTable entity = EntityTable.of(session.getFactory(), type);
    return targets.computeIfAbsent(
        entity.persister(),
        persister -> LockTarget.of(entity, TableOrder.of(session.getFactory())));
  }

  @SuppressWarnings("unchecked") // the ids have been checked against the mapping's type
  private static <K, V> Map<K, V> answer(Map<Object, ?> map) {
    return (Map<K, V>) Collections.unmodifiableMap(map);
  }
}
