package io.rowlock.internal.hibernate;

import io.rowlock.UnsupportedMappingException;
import io.rowlock.internal.postgres.ArrayText;
import io.rowlock.lock.Locking;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hibernate.engine.spi.SessionImplementor;

/**
 * What a call locks in one table: the rows of one entity; or of several, that are stored in the
 * same table.
 *
 * @param users who locks rows in the table, and as what it knows the table
 */
record LockStep(Map<LockRequest, LockTable> users) {

  /**
   * The steps of a call in the order of their tables.
   *
   * @throws UnsupportedMappingException if the tables have no order, or entities that share one do
   *     not have the same id
   */
  static List<LockStep> of(List<LockRequest> requests, TableOrder order) {
    Map<String, LockStep> steps = new LinkedHashMap<>();
    for (LockRequest request : requests) {
      for (LockTable table : request.target().tables()) {
        steps
            .computeIfAbsent(
                LockTable.key(table.name()), name -> new LockStep(new LinkedHashMap<>()))
            .users
            .put(request, table);
      }
    }
    order.requireOrder(steps.keySet());
    steps.values().forEach(LockStep::requireOneId);
    return order.sorted(steps.values(), step -> step.table().name());
  }

  LockTable table() {
    return users.values().iterator().next();
  }

  LockRequest first() {
    return users.keySet().iterator().next();
  }

  /** Locks the rows: those of several entities together, so that there is one order of them. */
  void lock(SessionImplementor session, Locking how) {
    if (users.size() > 1) {
      lockTogether(session, how);
    }
    users.forEach(LockRequest::lock);
  }

  private void lockTogether(SessionImplementor session, Locking how) {
    List<List<Object>> columns = new ArrayList<>();
    table().id().forEach(column -> columns.add(new ArrayList<>()));
    for (LockRequest request : users.keySet()) {
      for (int i = 0; i < columns.size(); i++) {
        columns.get(i).addAll(request.wanted().values().get(i));
      }
    }
    new SessionSql(session).lockIds(table(), columns.stream().map(ArrayText::of).toList(), how);
  }

  private void requireOneId() {
    users.forEach(
        (request, table) -> {
          if (!table.id().equals(table().id())) {
            throw differentIds(request);
          }
        });
  }

  private UnsupportedMappingException differentIds(LockRequest other) {
    return new UnsupportedMappingException(
        other.target().entityName(),
        "Rows of "
            + first().target().entityName()
            + " and "
            + other.target().entityName()
            + " cannot be locked by one plan: both are stored in the table "
            + table().name()
            + ", but the columns of their ids are not the same. Lock them as one of the two");
  }
}
