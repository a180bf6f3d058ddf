package io.rowlock.internal.hibernate;

import io.rowlock.MissingRowsException;
import io.rowlock.lock.Locking;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.hibernate.engine.spi.SessionImplementor;
import org.jspecify.annotations.Nullable;

/**
 * One call that locks rows, of one entity or of several: table by table in the one order, all of
 * them before anything is loaded that the locking statements do not load themselves.
 *
 * <p>For the thread of its session.
 */
final class LockCall {

  private final SessionImplementor session;
  private final List<LockRequest> requests;
  private final List<LockStep> steps;
  private final Locking how;

  /**
   * A call for those of the requests that ask for any row.
   *
   * @throws io.rowlock.UnsupportedMappingException if their tables have no order
   */
  LockCall(SessionImplementor session, List<LockRequest> requests, Locking how) {
    this.session = session;
    this.requests = requests.stream().filter(request -> !request.wanted().isEmpty()).toList();
    this.steps = LockStep.of(this.requests, TableOrder.of(session.getFactory()));
    this.how = how;
  }

  /** Whether any row is asked for. */
  boolean asksForRows() {
    return !requests.isEmpty();
  }

  /**
   * Locks all rows.
   *
   * @throws io.rowlock.LockNotAvailableException if a lock was waited for in vain
   */
  void lock() {
    long started = System.nanoTime();
    @Nullable LockRequest[] current = {null};
    try {
      LockWaiting.bounded(
          session,
          how.waiting(),
          () -> {
            steps.forEach(
                step -> {
                  current[0] = step.first();
                  step.lock(session, how);
                });
            return null;
          });
    } catch (RuntimeException e) {
      Duration taken = Duration.ofNanos(System.nanoTime() - started);
      throw current[0] == null ? e : LockFailures.of(e, session, current[0], how, taken);
    }
  }

  /**
   * The entities of each request that asked for any, as they are under the lock.
   *
   * @throws MissingRowsException if a row does not exist, naming all that do not
   */
  Map<LockRequest, Map<Object, Object>> entities() {
    Map<LockRequest, Map<Object, Object>> entities = new LinkedHashMap<>();
    requests.forEach(request -> entities.put(request, request.entities()));
    requireAll();
    return entities;
  }

  /**
   * Checks that all rows exist, without more loading than that needs.
   *
   * @throws MissingRowsException naming those that do not
   */
  void requireRows() {
    requests.stream()
        .filter(request -> request.target().isRestricted())
        .forEach(LockRequest::entities);
    requireAll();
  }

  private void requireAll() {
    Map<Class<?>, List<Object>> missing = new LinkedHashMap<>();
    Map<Class<?>, Function<Object, String>> texts = new HashMap<>();
    for (LockRequest request : requests) {
      List<Object> none = request.missing();
      if (!none.isEmpty()) {
        Class<?> type = request.target().entity().type();
        missing.computeIfAbsent(type, first -> new ArrayList<>()).addAll(none);
        texts.put(type, request.target().id()::text);
      }
    }
    if (!missing.isEmpty()) {
      throw new MissingRowsException(
          missing, (type, id) -> texts.getOrDefault(type, String::valueOf).apply(id));
    }
  }
}
