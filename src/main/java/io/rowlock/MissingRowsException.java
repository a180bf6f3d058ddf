package io.rowlock;

import java.util.List;

/**
 * Rows that were to be locked do not exist (any more). The rows that do exist are locked, none was
 * changed, and the transaction can go on.
 */
public final class MissingRowsException extends RowlockException {

  private static final long serialVersionUID = 1L;

  /** How many ids the message shows. */
  private static final int SHOWN = 20;

  private final String entity;
  private final transient List<Object> ids;

  /** Made by Rowlock. */
  public MissingRowsException(String entity, List<?> ids) {
    super(
        ids.size()
            + (ids.size() == 1 ? " row" : " rows")
            + " of "
            + entity
            + " to be locked cannot be found, nothing was changed: "
            + (ids.size() <= SHOWN
                ? ids
                : ids.subList(0, SHOWN) + " and " + (ids.size() - SHOWN) + " more"),
        null);
    this.entity = entity;
    this.ids = List.copyOf(ids);
  }

  /** The entity's name. */
  public String entity() {
    return entity;
  }

  /** The ids of all missing rows, in the order in which they were asked for. */
  public List<Object> ids() {
    return ids;
  }
}
