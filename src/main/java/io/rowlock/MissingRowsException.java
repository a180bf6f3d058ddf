package io.rowlock;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Rows that were to be locked do not exist (any more). The rows that do exist are locked, none was
 * changed, and the transaction can go on.
 */
public final class MissingRowsException extends RowlockException {

  private static final long serialVersionUID = 1L;

  /** How many ids of one entity the message shows. */
  private static final int SHOWN = 20;

  private final String entity;
  private final transient Map<Class<?>, List<Object>> ids;

  /**
   * Made by Rowlock.
   *
   * @param ids the missing ids by entity, at least one
   * @param shown how the message shows an id
   */
  public MissingRowsException(
      Map<Class<?>, List<Object>> ids, BiFunction<Class<?>, Object, String> shown) {
    super(
        ids.entrySet().stream()
                .map(one -> described(one.getKey(), one.getValue(), shown))
                .collect(Collectors.joining("; "))
            + ". Nothing was changed",
        null);
    this.entity = ids.keySet().iterator().next().getName();
    Map<Class<?>, List<Object>> copy = new LinkedHashMap<>();
    ids.forEach((type, missing) -> copy.put(type, List.copyOf(missing)));
    this.ids = Collections.unmodifiableMap(copy);
  }

  private static String described(
      Class<?> type, List<Object> ids, BiFunction<Class<?>, Object, String> shown) {
    return ids.size()
        + (ids.size() == 1 ? " row" : " rows")
        + " of "
        + type.getName()
        + " to be locked cannot be found: "
        + ids.stream()
            .limit(SHOWN)
            .map(id -> shown.apply(type, id))
            .collect(Collectors.joining(", ", "[", "]"))
        + (ids.size() <= SHOWN ? "" : " and " + (ids.size() - SHOWN) + " more");
  }

  /** The name of the entity whose rows are missing; of the first one, if several are. */
  public String entity() {
    return entity;
  }

  /** The ids of all missing rows of that entity, in the order in which they were asked for. */
  public List<Object> ids() {
    return ids.values().iterator().next();
  }

  /**
   * The ids of all missing rows by entity: the entities in the order in which they are locked, the
   * ids in the order in which they were asked for; unmodifiable.
   */
  public Map<Class<?>, List<Object>> idsByEntity() {
    return ids;
  }
}
