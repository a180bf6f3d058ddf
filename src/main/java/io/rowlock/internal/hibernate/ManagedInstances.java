package io.rowlock.internal.hibernate;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hibernate.CacheMode;
import org.hibernate.Hibernate;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.PersistenceContext;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.persister.entity.EntityPersister;

/**
 * The instances that a session managed before a statement. A native query answers such an instance
 * as it is, not as the row is, so it has to be refreshed afterwards; an instance that came with the
 * statement is fresh.
 *
 * <p>For one statement on the thread of its session.
 */
final class ManagedInstances {

  private final SessionImplementor session;
  private final int managed;
  private final Set<Object> instances;

  private ManagedInstances(SessionImplementor session, Set<Object> instances) {
    this.session = session;
    this.managed = session.getPersistenceContextInternal().getNumberOfManagedEntities();
    this.instances = instances;
  }

  /** Those with the given ids. */
  static ManagedInstances withIds(
      SessionImplementor session, EntityPersister persister, Collection<?> ids) {
    PersistenceContext context = session.getPersistenceContextInternal();
    Set<Object> found = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Object id : ids) {
      Object entity = context.getEntity(session.generateEntityKey(id, persister));
      if (entity != null) {
        found.add(entity);
      }
    }
    return new ManagedInstances(session, found);
  }

  /**
   * Before a statement that answers at most one entity, whose id is not known yet. Takes no time,
   * however many entities the session manages.
   */
  static ManagedInstances beforeOne(SessionImplementor session) {
    return new ManagedInstances(session, Set.of());
  }

  /** Those of the entity's hierarchy, whatever their ids are. */
  static ManagedInstances ofEntity(SessionImplementor session, EntityPersister persister) {
    Set<Object> found = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Map.Entry<Object, EntityEntry> entry :
        session.getPersistenceContextInternal().reentrantSafeEntityEntries()) {
      if (entry
          .getValue()
          .getPersister()
          .getRootEntityName()
          .equals(persister.getRootEntityName())) {
        found.add(entry.getKey());
      }
    }
    return new ManagedInstances(session, found);
  }

  /** Whether the instance was among {@linkplain #withIds those with the ids}. */
  boolean contains(Object entity) {
    return instances.contains(entity);
  }

  /**
   * Whether the one entity that the statement answered was managed before: nothing has come in
   * since.
   */
  boolean nothingLoaded() {
    return session.getPersistenceContextInternal().getNumberOfManagedEntities() == managed;
  }

  /** Refreshes those of the entities that were among {@linkplain #withIds those with the ids}. */
  void refreshIfManagedBefore(Collection<?> entities) {
    refreshAll(session, entities.stream().map(Hibernate::unproxy).filter(this::contains).toList());
  }

  /** Reads the rows into the instances. */
  static void refreshAll(SessionImplementor session, Collection<?> instances) {
    Set<Object> stale = Collections.newSetFromMap(new IdentityHashMap<>());
    instances.forEach(instance -> stale.add(Hibernate.unproxy(instance)));
    if (stale.size() > 1) {
      stale.removeAll(ManyRefreshed.among(session, List.copyOf(stale)));
    }
    stale.forEach(instance -> refresh(session, instance));
  }

  /**
   * Reads the row into the instance. The second-level cache is left out: what is read may not be
   * committed yet.
   */
  static void refresh(SessionImplementor session, Object entity) {
    CacheMode before = session.getCacheMode();
    session.setCacheMode(CacheMode.IGNORE);
    try {
      session.refresh(entity);
    } finally {
      session.setCacheMode(before);
    }
  }
}
