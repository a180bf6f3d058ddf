package io.rowlock.lock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Rows of several entities that are locked together: {@code LockPlan.of(Author.class,
 * authors).and(Article.class, articles)}. In which order they are given means nothing: they are
 * locked in the one order of the persistence unit over its entities (see {@link LockOrder}), the
 * rows of each table in the order of their ids.
 *
 * <p>A unit that locks rows of several entities keeps the order only if it locks them by one plan.
 *
 * <p>Immutable, as far as the ids are; safe for use by any thread.
 */
public final class LockPlan {

  private final Map<Class<?>, List<Object>> ids;
  private final Locking locking;

  private LockPlan(Map<Class<?>, List<Object>> ids, Locking locking) {
    this.ids = ids;
    this.locking = locking;
  }

  /**
   * A plan for rows of one entity, with {@link Locking#defaults()}.
   *
   * @param type a mapped entity; one with subclasses stands for their rows too
   * @param ids the ids; one given twice counts once; none is allowed
   * @throws IllegalArgumentException if an id is null
   */
  public static LockPlan of(Class<?> type, Collection<?> ids) {
    return new LockPlan(Map.of(), Locking.defaults()).and(type, ids);
  }

  /**
   * The same plan with rows of one more entity; with more rows of one that it has already.
   *
   * @param type a mapped entity; one with subclasses stands for their rows too
   * @param more the ids; one given twice counts once; none is allowed
   * @throws IllegalArgumentException if an id is null
   */
  public LockPlan and(Class<?> type, Collection<?> more) {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(more, "ids");
    List<Object> all = new ArrayList<>(ids.getOrDefault(type, List.of()));
    for (Object id : more) {
      if (id == null) {
        throw new IllegalArgumentException("An id of " + type.getName() + " to be locked is null");
      }
      all.add(id);
    }
    Map<Class<?>, List<Object>> merged = new LinkedHashMap<>(ids);
    merged.put(type, Collections.unmodifiableList(all));
    return new LockPlan(Collections.unmodifiableMap(merged), locking);
  }

  /** The same rows, locked in the given way: all of them, of whichever entity. */
  public LockPlan with(Locking how) {
    return new LockPlan(ids, Objects.requireNonNull(how, "how"));
  }

  /** The ids by entity, as they were given; unmodifiable. */
  public Map<Class<?>, List<Object>> ids() {
    return ids;
  }

  /** How the rows are locked, {@link Locking#defaults()} unless said otherwise. */
  public Locking locking() {
    return locking;
  }

  @Override
  public String toString() {
    return "LockPlan" + ids + " " + locking;
  }
}
