package io.rowlock.internal.hibernate;

import jakarta.persistence.FlushModeType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hibernate.CacheMode;
import org.hibernate.LockMode;
import org.hibernate.collection.spi.PersistentCollection;
import org.hibernate.engine.internal.ManagedTypeHelper;
import org.hibernate.engine.spi.EntityEntry;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.engine.spi.Status;
import org.hibernate.internal.EmptyInterceptor;
import org.hibernate.persister.entity.EntityPersister;
import org.hibernate.proxy.HibernateProxy;
import org.hibernate.proxy.LazyInitializer;
import org.hibernate.query.Query;
import org.hibernate.type.EntityType;
import org.hibernate.type.Type;
import org.hibernate.type.TypeHelper;
import org.jspecify.annotations.Nullable;

/**
 * Has many managed instances show their rows, by one query for each thousand of one class instead
 * of a refresh each. What the query reads is compared; most instances show their rows already, and
 * what has changed is set. A natural id that has changed, and an instance whose collections have
 * been loaded, are left to a refresh.
 *
 * <p>For one call on the thread of its session.
 */
final class ManyRefreshed {

  private static final int CHUNK = 1000;

  private final SessionImplementor session;
  private final EntityPersister persister;
  private final ReadAttributes read;
  private final Type[] types;
  private final Set<Object> shown = Collections.newSetFromMap(new IdentityHashMap<>());

  private ManyRefreshed(
      SessionImplementor session, EntityPersister persister, ReadAttributes read) {
    this.session = session;
    this.persister = persister;
    this.read = read;
    this.types = persister.getPropertyTypes();
  }

  /**
   * Those of the instances that show their rows now.
   *
   * @param instances managed ones, none of them a proxy
   */
  static Set<Object> among(SessionImplementor session, Collection<Object> instances) {
    Set<Object> shown = Collections.newSetFromMap(new IdentityHashMap<>());
    if (session.getInterceptor() != EmptyInterceptor.INSTANCE) {
      return shown;
    }
    Map<EntityPersister, List<Object>> byClass = new LinkedHashMap<>();
    for (Object instance : instances) {
      EntityEntry entry = session.getPersistenceContextInternal().getEntry(instance);
      if (entry != null) {
        byClass.computeIfAbsent(entry.getPersister(), persister -> new ArrayList<>()).add(instance);
      }
    }
    byClass.forEach(
        (persister, some) -> {
          Optional<ReadAttributes> read =
              some.size() == 1
                  ? Optional.empty()
                  : ReadAttributes.of(session.getFactory(), persister);
          read.ifPresent(
              attributes ->
                  shown.addAll(new ManyRefreshed(session, persister, attributes).show(some)));
        });
    return shown;
  }

  private Set<Object> show(List<Object> instances) {
    for (int from = 0; from < instances.size(); from += CHUNK) {
      Map<Object, Object> byId = new HashMap<>();
      for (Object instance : instances.subList(from, Math.min(from + CHUNK, instances.size()))) {
        EntityEntry entry = entry(instance);
        if (isPlain(instance, entry)) {
          byId.put(entry.getEntityKey(), instance);
        }
      }
      if (!byId.isEmpty()) {
        rows(byId.values())
            .forEach(
                row -> {
                  Object instance = byId.get(session.generateEntityKey(row[0], persister));
                  if (instance != null && shows(instance, row)) {
                    shown.add(instance);
                  }
                });
      }
    }
    return shown;
  }

  private EntityEntry entry(Object instance) {
    return session.getPersistenceContextInternal().getEntry(instance);
  }

  /** Whether a refresh would do no more than set what is read. */
  private boolean isPlain(Object instance, EntityEntry entry) {
    Object[] loaded = entry.getLoadedState();
    if (entry.getStatus() != Status.MANAGED
        || !entry.isExistsInDatabase()
        || loaded == null
        || ManagedTypeHelper.isManagedType(instance.getClass())) {
      return false;
    }
    for (int i : read.collections()) {
      if (!(persister.getValue(instance, i) instanceof PersistentCollection<?> collection)
          || collection != loaded[i]
          || collection.wasInitialized()
          || collection.hasQueuedOperations()) {
        return false;
      }
    }
    return true;
  }

  private List<Object[]> rows(Collection<Object> instances) {
    List<Object> ids = new ArrayList<>();
    instances.forEach(instance -> ids.add(entry(instance).getId()));
    Query<Object[]> query = session.createQuery(read.query(), Object[].class);
    query.setParameterList("ids", ids);
    // the session has been flushed
    ((jakarta.persistence.Query) query).setFlushMode(FlushModeType.COMMIT);
    query.setCacheMode(CacheMode.IGNORE);
    return query.getResultList();
  }

  /** Whether the instance shows the row, after what can be set has been. */
  private boolean shows(Object instance, Object[] row) {
    EntityEntry entry = entry(instance);
    Object[] loaded = entry.getLoadedState();
    Object[] state = persister.getValues(instance);
    Set<Integer> stale = new HashSet<>();
    for (int i = 0; i < read.attributes().size(); i++) {
      ReadAttributes.Attribute attribute = read.attributes().get(i);
      int position = attribute.position();
      Object now = row[i + 1];
      if (isSame(attribute, loaded[position], now) && isSame(attribute, state[position], now)) {
        continue;
      }
      if (isOfNaturalId(position)) {
        return false;
      }
      stale.add(position);
      state[position] =
          attribute.kind() == ReadAttributes.Kind.REFERENCE ? referredTo(attribute, now) : now;
    }
    if (!stale.isEmpty()) {
      set(instance, entry, state, stale);
    }
    return true;
  }

  private boolean isSame(
      ReadAttributes.Attribute attribute, @Nullable Object held, @Nullable Object now) {
    if (attribute.kind() != ReadAttributes.Kind.REFERENCE) {
      return !types[attribute.position()].isDirty(held, now, session);
    }
    return held == null ? now == null : now != null && now.equals(idOf(held));
  }

  private @Nullable Object referredTo(ReadAttributes.Attribute attribute, @Nullable Object id) {
    return id == null
        ? null
        : session.internalLoad(
            ((EntityType) types[attribute.position()]).getAssociatedEntityName(),
            id,
            attribute.eager(),
            false);
  }

  private @Nullable Object idOf(Object referredTo) {
    LazyInitializer proxy = HibernateProxy.extractLazyInitializer(referredTo);
    if (proxy != null) {
      return proxy.getInternalIdentifier();
    }
    EntityEntry entry = session.getPersistenceContextInternal().getEntry(referredTo);
    return entry == null ? null : entry.getId();
  }

  private boolean isOfNaturalId(int position) {
    if (persister.hasNaturalIdentifier()) {
      for (int i : persister.getNaturalIdentifierProperties()) {
        if (i == position) {
          return true;
        }
      }
    }
    return false;
  }

  /** The instance is as it was loaded, with these values. */
  @SuppressWarnings("NullAway") // the version is null without one, for Hibernate too
  private void set(Object instance, EntityEntry entry, Object[] state, Set<Integer> stale) {
    stale.forEach(position -> persister.setValue(instance, position, state[position]));
    TypeHelper.deepCopy(state, types, persister.getPropertyCheckability(), state, session);
    LockMode held = entry.getLockMode();
    Object version = persister.isVersioned() ? state[Versions.position(persister)] : null;
    entry.postUpdate(instance, state, version);
    // nothing was written
    entry.setLockMode(held);
  }
}
