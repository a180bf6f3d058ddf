package io.rowlock.internal.hibernate;

import io.rowlock.LockNotAvailableException;
import io.rowlock.MissingRowsException;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.lock.Locking;
import jakarta.persistence.EntityManager;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
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
    LockTarget target = target(session, type);
    WantedIds wanted = WantedIds.of(target, ids);
    if (wanted.isEmpty()) {
      return Map.of();
    }
    session.flush();
    return answer(new LockCall(session, target, wanted, how).entities());
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
    WantedIds wanted = WantedIds.of(target, ids);
    if (wanted.isEmpty()) {
      return Map.of();
    }
    session.flush();
    List<Object> locked = new LockCall(session, target, wanted, Locking.defaults()).ids();
    Map<Object, Long> raised = new SessionSql(session).incrementVersions(target, locked);
    CachedRows.changed(session, target.persister(), locked);
    LockedInstances.refreshManaged(session, target, wanted, locked);
    Map<Object, Long> versions = new LinkedHashMap<>();
    locked.forEach(id -> versions.put(id, raised.get(id)));
    return answer(versions);
  }

  private LockTarget target(SessionImplementor session, Class<?> type) {
    EntityTable entity = EntityTable.of(session.getFactory(), type);
    return targets.computeIfAbsent(entity.persister(), persister -> LockTarget.of(entity));
  }

  @SuppressWarnings("unchecked") // the ids have been checked against the mapping's type
  private static <K, V> Map<K, V> answer(Map<Object, ?> map) {
    return (Map<K, V>) Collections.unmodifiableMap(map);
  }
}
