package io.rowlock.internal.postgres;

import io.rowlock.UnsupportedMappingException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/** The key that a unique constraint or unique index has by its name. */
public final class NamedKey {

  private NamedKey() {}

  /**
   * The names of its columns as the catalog has them.
   *
   * @param entity the entity's name, for messages
   * @param table the table in SQL
   * @param name the name of the constraint or index
   * @throws UnsupportedMappingException if the table has no such constraint or index, or it is not
   *     unique, or not on columns
   * @throws SQLException if the catalog cannot be read
   */
  public static List<String> columns(
      Connection connection, String entity, String table, String name) throws SQLException {
    ArbiterSearch search =
        new ArbiterSearch(new KeyWanted(entity, table, List.of(), null, null, null, List.of()));
    CatalogTable found = TableCatalog.read(connection, table).orElseThrow(search::noTable);
    CatalogIndex index =
        found.indexes().stream()
            .filter(i -> name.equals(i.constraint()) || name.equals(i.name()))
            .findFirst()
            .orElseThrow(() -> unknown(entity, found, name));
    if (!index.unique()) {
      throw unusable(entity, index, table, "is not unique");
    }
    return index.keys().stream()
        .map(
            key -> {
              if (key.column() == null) {
                throw unusable(
                    entity,
                    index,
                    table,
                    "is on the expression "
                        + key.definition()
                        + ", not on columns only. A key must be unique as it is stored (for one that"
                        + " ignores case, give the column the type citext or a nondeterministic"
                        + " collation)");
              }
              return key.column();
            })
        .toList();
  }

  private static UnsupportedMappingException unusable(
      String entity, CatalogIndex index, String table, String why) {
    return problem(
        entity,
        entity
            + " cannot be created once by "
            + index.called()
            + ": of table "
            + table
            + ", it "
            + why);
  }

  private static UnsupportedMappingException unknown(
      String entity, CatalogTable table, String name) {
    String known =
        table.indexes().stream()
            .filter(CatalogIndex::unique)
            .map(CatalogIndex::called)
            .collect(Collectors.joining(", "));
    return problem(
        entity,
        "Table "
            + table.name()
            + " of "
            + entity
            + " has no constraint and no index '"
            + name
            + "' (names are as the catalog has them: unquoted, without a schema). It has "
            + (known.isEmpty() ? "no unique one" : known));
  }

  private static UnsupportedMappingException problem(String entity, String message) {
    return new UnsupportedMappingException(entity, message);
  }
}
