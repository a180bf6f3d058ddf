package io.rowlock.internal.postgres;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table as the catalog describes it.
 *
 * @param name the table in SQL, as the mapping writes it
 * @param kind the catalog's letter: r for a table, p for a partitioned one
 * @param inherited whether other tables inherit from it, without partitioning
 * @param partitionKey how it is partitioned, null if it is not
 * @param columns its columns by stored name
 * @param indexes its indexes
 */
record CatalogTable(
    String name,
    String kind,
    boolean inherited,
    @Nullable String partitionKey,
    Map<String, CatalogColumn> columns,
    List<CatalogIndex> indexes) {

  /** The column of that identifier in SQL, null if there is none. */
  @Nullable CatalogColumn column(String identifier) {
    return columns.get(SqlIdentifiers.stored(identifier));
  }
}
