package io.rowlock.internal.postgres;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The key by which rows of a table are to be created once.
 *
 * @param entity the entity's name, for messages
 * @param table the table in SQL
 * @param columns the key's columns in SQL
 * @param tenant the one of them that tells tenants apart, null if none does
 * @param predicate the predicate of the index that is to arbitrate, null for a key of the whole
 *     table
 * @param restriction the condition for which the entity shows rows of the table, null if it shows
 *     all
 * @param fresh the columns in SQL whose new values no row can have
 */
public record KeyWanted(
    String entity,
    String table,
    List<String> columns,
    @Nullable String tenant,
    @Nullable String predicate,
    @Nullable String restriction,
    List<String> fresh) {

  /** Checks that entity, table and columns are given. */
  public KeyWanted {
    Objects.requireNonNull(entity, "entity");
    Objects.requireNonNull(table, "table");
    columns = List.copyOf(columns);
    fresh = List.copyOf(fresh);
  }
}
