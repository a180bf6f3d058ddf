package io.rowlock.lock;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The rows that a {@link LockPlan} has locked: managed entities that show the state under the lock.
 *
 * <p>Unmodifiable; its entities are for the thread of the unit that locked them.
 */
public final class Locked {

  private final Map<Class<?>, Map<Object, Object>> entities;

  /** Made by Rowlock. */
  public Locked(Map<Class<?>, ? extends Map<?, ?>> entities) {
    Map<Class<?>, Map<Object, Object>> copy = new LinkedHashMap<>();
    entities.forEach(
        (type, rows) -> copy.put(type, Collections.unmodifiableMap(new LinkedHashMap<>(rows))));
    this.entities = Collections.unmodifiableMap(copy);
  }

  /** The entities of the plan, in the order in which they were locked; unmodifiable. */
  public Set<Class<?>> types() {
    return entities.keySet();
  }

  /**
   * The entities of one type by their stored ids, in the order in which they were locked;
   * unmodifiable. Empty if the plan named the type without an id.
   *
   * @param type as it was given to the plan
   * @throws IllegalArgumentException if the plan did not name the type
   */
  @SuppressWarnings("unchecked") // the ids and entities have been read by the type's mapping
  public <K, E> Map<K, E> of(Class<E> type) {
    Map<Object, Object> rows = entities.get(type);
    if (rows == null) {
      throw new IllegalArgumentException(
          "The plan did not name " + type.getName() + " but " + entities.keySet());
    }
    return (Map<K, E>) (Map<?, ?>) rows;
  }

  /**
   * The entity with the id.
   *
   * @param type as it was given to the plan
   * @param id as it is stored
   * @throws IllegalArgumentException if the plan did not name the type or the id
   */
  public <E> E get(Class<E> type, Object id) {
    E entity = this.<Object, E>of(type).get(id);
    if (entity == null) {
      throw new IllegalArgumentException(
          "No row of " + type.getName() + " has been locked under the id " + id);
    }
    return entity;
  }

  @Override
  public String toString() {
    Map<String, Set<Object>> ids = new LinkedHashMap<>();
    entities.forEach((type, rows) -> ids.put(type.getName(), rows.keySet()));
    return "Locked" + ids;
  }
}
