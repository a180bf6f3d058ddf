package io.rowlock.internal.hibernate;

import io.rowlock.internal.hibernate.EntityChange.NotPlain;
import io.rowlock.internal.postgres.ChangedTable;
import io.rowlock.internal.postgres.ColumnUse;
import io.rowlock.internal.postgres.ParameterText;
import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.hibernate.StaleStateException;
import org.hibernate.engine.spi.SessionImplementor;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * Writes what has changed of locked entities: one statement for all rows of which the same
 * attributes have changed. Where a flush would do anything else than that, it is the flush that
 * writes.
 *
 * <p>Safe for use by any thread; each call is for the thread of its entity manager.
 */
public final class RowChanges {

  private static final int CHUNK = 1000;

  private final RowLocks locks;
  private final Map<EntityPersister, Boolean> plain = new ConcurrentHashMap<>();
  private final Map<String, ChangedTable> tables = new ConcurrentHashMap<>();

  /** Knows no entity yet; what it learns of a mapping or a table it keeps. */
  public RowChanges(RowLocks locks) {
    this.locks = locks;
  }

  /** Rows of one class of which the same columns are written. */
  private record Alike(EntityPersister persister, List<ColumnUse> columns) {}

  /** A statement with its arrays, for these rows. */
  private record Update(String sql, List<String> arrays, List<EntityChange> changes) {}

  /**
   * Writes what differs from what was loaded.
   *
   * @param type the entity that was locked
   * @param locked the entities by stored id, in the order in which they were locked, for an update
   * @throws jakarta.persistence.OptimisticLockException if a row is gone or has another version
   */
  public void write(EntityManager manager, Class<?> type, Map<?, ?> locked) {
    SessionImplementor session = manager.unwrap(SessionImplementor.class);
    try {
      List<EntityChange> changes = changes(session, locked);
      if (changes.isEmpty()) {
        return;
      }
      List<Update> updates = updates(session, locks.target(session, type), changes);
      changes.forEach(EntityChange::validate);
      updates.forEach(update -> send(session, update));
      CachedRows.changed(
          session,
          locks.target(session, type).persister(),
          changes.stream().map(EntityChange::id).toList());
    } catch (NotPlain e) {
      session.flush();
    }
  }

  private List<EntityChange> changes(SessionImplementor session, Map<?, ?> locked) throws NotPlain {
    // what else is to be written has a place before or after these rows that only the flush knows
    if (!ChangeLimits.isPlain(session)
        || session.asEventSource().getActionQueue().hasAnyQueuedActions()) {
      throw new NotPlain();
    }
    List<EntityChange> changes = new ArrayList<>();
    for (Map.Entry<?, ?> row : locked.entrySet()) {
      EntityChange change =
          EntityChange.of(
              session,
              row.getKey(),
              row.getValue(),
              one ->
                  plain.computeIfAbsent(
                      one, persister -> ChangeLimits.isPlain(session.getFactory(), persister)));
      if (change != null) {
        changes.add(change);
      }
    }
    return changes;
  }

  private List<Update> updates(
      SessionImplementor session, LockTarget target, List<EntityChange> changes) throws NotPlain {
    Map<Alike, List<EntityChange>> alike = new LinkedHashMap<>();
    for (EntityChange change : changes) {
      alike
          .computeIfAbsent(
              new Alike(change.persister(), change.columns()), first -> new ArrayList<>())
          .add(change);
    }
    List<Update> updates =
        session.doReturningWork(
            connection -> {
              List<Update> all = new ArrayList<>();
              for (Map.Entry<Alike, List<EntityChange>> group : alike.entrySet()) {
                ChangedTable table = table(connection, group.getKey().persister());
                if (table == null || !table.takesInAnyOrder(group.getKey().columns())) {
                  return null;
                }
                List<EntityChange> rows = group.getValue();
                for (int from = 0; from < rows.size(); from += CHUNK) {
                  List<EntityChange> chunk =
                      rows.subList(from, Math.min(from + CHUNK, rows.size()));
                  Update update = update(session, connection, target, table, chunk);
                  if (update == null) {
                    return null;
                  }
                  all.add(update);
                }
              }
              return all;
            });
    if (updates == null) {
      throw new NotPlain();
    }
    return updates;
  }

  private @Nullable ChangedTable table(Connection connection, EntityPersister persister)
      throws SQLException {
    String name = EntityTable.of(persister).table();
    ChangedTable known = tables.get(name);
    if (known == null) {
      known = ChangedTable.read(connection, name).orElse(null);
      if (known != null) {
        tables.put(name, known);
      }
    }
    return known;
  }

  /** The statement for some rows; null if a value cannot be sent in an array. */
  private static @Nullable Update update(
      SessionImplementor session,
      Connection connection,
      LockTarget target,
      ChangedTable table,
      List<EntityChange> changes)
      throws SQLException {
    List<ColumnUse> columns = changes.get(0).columns();
    ParameterText texts = new ParameterText(connection);
    GivenArrays given;
    try {
      given =
          GivenArrays.of(
              texts,
              session,
              columns,
              Set.of(),
              changes.stream().map(EntityChange::values).toList(),
              column -> true);
    } catch (SQLException e) {
      return null;
    }
    List<String> arrays =
        new ArrayList<>(
            target.id().arraysOf(changes.stream().map(EntityChange::id).toList(), session));
    arrays.addAll(given.arrays());
    return new Update(table.update(target.id().names(), columns, given.types()), arrays, changes);
  }

  private static void send(SessionImplementor session, Update update) {
    int written = new SessionSql(session).update(update.sql(), update.arrays());
    if (written != update.changes().size()) {
      throw session
          .getExceptionConverter()
          .convert(
              new StaleStateException(
                  "Of "
                      + update.changes().size()
                      + " locked rows of "
                      + update.changes().get(0).persister().getEntityName()
                      + ", "
                      + written
                      + " were there to be changed, with the version that was read"));
    }
    update.changes().forEach(EntityChange::written);
  }
}
