package io.rowlock.internal.hibernate;

import io.rowlock.internal.postgres.ArrayText;
import io.rowlock.internal.postgres.LockStatements;
import io.rowlock.internal.postgres.TransactionMark;
import io.rowlock.lock.Locking;
import jakarta.persistence.FlushModeType;
import jakarta.persistence.Query;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hibernate.CacheMode;
import org.hibernate.Hibernate;
import org.hibernate.LockMode;
import org.hibernate.engine.spi.EntityKey;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.query.NativeQuery;

/**
 * The rows of one entity that a call locks: first table by table, then what is to be known of them.
 *
 * <p>For one call on the thread of its session.
 */
final class LockRequest {

  private final SessionImplementor session;
  private final LockTarget target;
  private final WantedIds wanted;
  private final Locking how;
  private final boolean loading;
  private final SessionSql sql;
  private final Map<EntityKey, Object> locked = new LinkedHashMap<>();
  private final Map<EntityKey, Object> loaded = new LinkedHashMap<>();
  private final Map<LockTable, List<Object>> lockedIn = new LinkedHashMap<>();

  /**
   * A request.
   *
   * @param loading whether the entities are wanted, and so loaded by the statement that locks the
   *     rows if that can be; otherwise the ids alone
   */
  LockRequest(
      SessionImplementor session,
      LockTarget target,
      WantedIds wanted,
      Locking how,
      boolean loading) {
    this.session = session;
    this.target = target;
    this.wanted = wanted;
    this.how = how;
    this.loading = loading && target.isLoadedByLock();
    this.sql = new SessionSql(session);
  }

  LockTarget target() {
    return target;
  }

  WantedIds wanted() {
    return wanted;
  }

  /** Locks the rows in one of the target's tables; loads the entities with them where that does. */
  void lock(LockTable table) {
    if (loading) {
      lockLoading(table);
      return;
    }
    // as they are stored, where that is known
    Collection<Object> ids = table.holdsIds() || locked.isEmpty() ? wanted.all() : locked.values();
    List<Object> found = sql.lockIds(target, table, ids, how);
    if (table.holdsIds()) {
      found.forEach(id -> locked.putIfAbsent(key(id), id));
      lockedIn.put(table, found);
    }
  }

  private void lockLoading(LockTable table) {
    ManagedInstances before = ManagedInstances.withIds(session, target.persister(), wanted.all());
    List<Object> stale = new ArrayList<>();
    for (Object entity : rows(table)) {
      EntityKey key =
          session
              .getPersistenceContextInternal()
              .getEntry(Hibernate.unproxy(entity))
              .getEntityKey();
      locked.put(key, key.getIdentifier());
      if (loaded.put(key, entity) == null) {
        Object instance = Hibernate.unproxy(entity);
        // an id that was not asked for in this form may belong to an instance that was not looked
        // for
        if (before.contains(instance) || !wanted.contains(key)) {
          stale.add(instance);
        }
      }
    }
    ManagedInstances.refreshAll(session, stale);
  }

  private List<Object> rows(LockTable table) {
    NativeQuery<Object[]> query =
        session.createNativeQuery(
            LockStatements.lockMarked(target.rowColumns(), table.name(), table.id(), how),
            Object[].class);
    query.addEntity(LockStatements.ALIAS, target.entity().type(), LockMode.READ);
    query.addScalar(TransactionMark.COLUMN, String.class);
    query.setCacheMode(CacheMode.IGNORE);
    int parameter = 1;
    for (List<Object> column : wanted.values()) {
      query.setParameter(parameter++, ArrayText.of(column), UntypedText.TYPE);
    }
    // the session has been flushed
    ((Query) query).setFlushMode(FlushModeType.COMMIT);
    List<Object> entities = new ArrayList<>();
    for (Object[] row : query.getResultList()) {
      entities.add(row[0]);
      CarriedMark.note(session, row[1]);
    }
    return entities;
  }

  /** The entities by id, in the order of the locks, as they are under the lock. */
  Map<Object, Object> entities() {
    if (!loading) {
      loaded.putAll(LockedRows.load(session, target, locked));
    }
    Map<Object, Object> entities = new LinkedHashMap<>();
    loaded.forEach(
        (key, entity) -> {
          LockedInstances.note(session, entity, how.strength());
          entities.put(key.getIdentifier(), entity);
        });
    return entities;
  }

  /** The ids that have no row; those of rows that are no instance only after these were loaded. */
  List<Object> missing() {
    boolean decidedByLoading = loading || target.isRestricted();
    return wanted.missing(decidedByLoading ? loaded : locked);
  }

  /** The ids of the rows, by the table that holds them, in the order of the locks. */
  Map<LockTable, List<Object>> lockedIds() {
    return lockedIn;
  }

  private EntityKey key(Object id) {
    return session.generateEntityKey(id, target.persister());
  }
}
