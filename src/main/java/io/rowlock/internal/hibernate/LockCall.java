package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.LockStatements;
import io.rowlock.lock.Locking;
import jakarta.persistence.FlushModeType;
import jakarta.persistence.Query;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.hibernate.CacheMode;
import org.hibernate.Hibernate;
import org.hibernate.engine.spi.SessionImplementor;

/**
 * One call that locks rows: all of them, before anything is loaded that the locking statement does
 * not load itself.
 *
 * <p>For the thread of its session.
 */
final class LockCall {

  private final SessionImplementor session;
  private final LockTarget target;
  private final WantedIds wanted;
  private final Locking how;
  private final SessionSql sql;

  LockCall(SessionImplementor session, LockTarget target, WantedIds wanted, Locking how) {
    this.session = session;
    this.target = target;
    this.wanted = wanted;
    this.how = how;
    this.sql = new SessionSql(session);
  }

  /**
   * Locks the rows; answers their entities by id, in the order of the locks, as they are under the
   * lock.
   */
  Map<Object, Object> entities() {
    Map<Object, Object> entities = target.isLoadedByLock() ? lockLoading() : lockThenLoad();
    entities.values().forEach(entity -> LockedInstances.note(session, entity, how.strength()));
    return entities;
  }

  /** Locks the rows; answers their ids in the order of the locks. */
  List<Object> ids() {
    if (target.isRestricted()) {
      return List.copyOf(lockThenLoad().keySet());
    }
    List<Object> locked = lockTables();
    wanted.requireAll(locked, sql);
    return locked;
  }

  private Map<Object, Object> lockLoading() {
    ManagedInstances before = ManagedInstances.withIds(session, target.persister(), wanted.all());
    Map<Object, Object> entities = new LinkedHashMap<>();
    for (Object entity : bounded(this::rows)) {
      entities.put(idOf(entity), entity);
    }
    wanted.requireAll(entities.keySet(), sql);
    entities.forEach(
        (id, entity) -> {
          Object instance = Hibernate.unproxy(entity);
          // an id that was not asked for in this form may belong to an instance that was not looked
          // for
          if (before.contains(instance) || !wanted.contains(id)) {
            ManagedInstances.refresh(session, instance);
          }
        });
    return entities;
  }

  private List<?> rows() {
    Query query =
        session
            .createNativeQuery(
                LockStatements.lock(
                    "{" + LockStatements.ALIAS + ".*}",
                    target.tables().get(0).name(),
                    target.id().name(),
                    how),
                target.entity().type(),
                LockStatements.ALIAS)
            .setParameter(1, target.id().arrayOf(wanted.all(), session), UntypedText.TYPE)
            .setCacheMode(CacheMode.IGNORE);
    // the session has been flushed
    return query.setFlushMode(FlushModeType.COMMIT).getResultList();
  }

  private Object idOf(Object entity) {
    return session.getPersistenceContextInternal().getEntry(Hibernate.unproxy(entity)).getId();
  }

  private Map<Object, Object> lockThenLoad() {
    List<Object> locked = lockTables();
    if (!target.isRestricted()) {
      wanted.requireAll(locked, sql);
    }
    Map<Object, Object> entities = new LinkedHashMap<>();
    Map<Object, Object> loaded = LockedRows.load(session, target, locked);
    locked.stream().filter(loaded::containsKey).forEach(id -> entities.put(id, loaded.get(id)));
    wanted.requireAll(entities.keySet(), sql);
    return entities;
  }

  private List<Object> lockTables() {
    return bounded(
        () -> {
          List<LockTarget.Table> tables = target.tables();
          List<Object> locked =
              new ArrayList<>(sql.lockIds(target, tables.get(0), wanted.all(), how));
          tables
              .subList(1, tables.size())
              .forEach(table -> sql.lockIds(target, table, locked, how));
          return locked;
        });
  }

  private <T> T bounded(Supplier<T> statements) {
    try {
      return LockWaiting.bounded(session, how.waiting(), statements);
    } catch (RuntimeException e) {
      throw LockFailures.of(e, session, target, wanted, how);
    }
  }
}
