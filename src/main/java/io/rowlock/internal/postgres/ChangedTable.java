package io.rowlock.internal.postgres;

import static io.rowlock.internal.postgres.ColumnUse.Use.GUARD;
import static io.rowlock.internal.postgres.ColumnUse.Use.SET;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A table of which one statement can change many rows, each to values of its own, and leave what
 * one statement for each row would leave.
 *
 * <p>The server goes through the rows in an order of its own. That is no matter for rows that are
 * locked already, but it is for what a trigger does to others, and for a unique value that one row
 * gives up and another one takes.
 *
 * <p>Immutable; safe for use by any thread.
 */
public final class ChangedTable {

  private static final String IN_ANY_ORDER =
      """
      select c.relkind = 'r' and not c.relhassubclass and not c.relhasrules
        and not exists (select from pg_catalog.pg_trigger t
          where t.tgrelid = c.oid and not t.tgisinternal and t.tgtype & 16 <> 0)
        and not exists (select from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisexclusion)
        and not exists (select from pg_catalog.pg_index i
          join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
          where i.indrelid = c.oid and i.indisunique and a.attgenerated <> '')
      from pg_catalog.pg_class c
      where c.oid = to_regclass(?)""";

  private final CatalogTable table;
  private final boolean inAnyOrder;

  private ChangedTable(CatalogTable table, boolean inAnyOrder) {
    this.table = table;
    this.inAnyOrder = inAnyOrder;
  }

  /**
   * Asks the catalog; empty if it has no such table.
   *
   * @param table the table in SQL
   * @throws SQLException if the catalog cannot be read
   */
  public static Optional<ChangedTable> read(Connection connection, String table)
      throws SQLException {
    boolean inAnyOrder;
    try (PreparedStatement statement = connection.prepareStatement(IN_ANY_ORDER)) {
      statement.setString(1, table);
      try (ResultSet row = statement.executeQuery()) {
        inAnyOrder = row.next() && row.getBoolean(1);
      }
    }
    return TableCatalog.read(connection, table).map(found -> new ChangedTable(found, inAnyOrder));
  }

  /** Whether it does not matter which of several rows is the first to get new values there. */
  public boolean takesInAnyOrder(List<ColumnUse> columns) {
    return inAnyOrder
        && columns.stream().map(ColumnUse::column).allMatch(this::isKnown)
        && columns.stream()
            .filter(column -> column.isFor(SET))
            .noneMatch(column -> isUnique(SqlIdentifiers.stored(column.column())));
  }

  /**
   * Sets columns of the rows with given ids. The first parameters are the arrays of the ids, one
   * for each column of the id ({@link ArrayText}), then comes an array of texts for each column.
   *
   * @param id the columns of the id in SQL
   * @param columns which columns are set, and which ones must have their value still; parameters
   *     all of them
   * @param types the types that the driver would declare for these
   */
  public String update(List<String> id, List<ColumnUse> columns, List<@Nullable String> types) {
    List<String> assignments = new ArrayList<>();
    StringBuilder where = new StringBuilder(LockStatements.equal(id, "x"));
    if (id.size() == 1) {
      // where the planner takes the table for empty, it would go through all of it to join
      where.append(" and e.").append(id.get(0)).append(" = any (array(select c1 from x))");
    }
    for (int i = 0; i < columns.size(); i++) {
      ColumnUse column = columns.get(i);
      CatalogColumn stored = column(column);
      String value =
          stored.asStored(GivenRows.written(column.value(), "x.v" + (i + 1), types.get(i)));
      if (column.isFor(SET)) {
        assignments.add(column.column() + " = " + value);
      } else if (column.isFor(GUARD)) {
        where.append(" and ").append(stored.value("e." + column.column())).append(" = ");
        where.append(value);
      }
    }
    return "with x ("
        + LockStatements.names(id)
        + IntStream.rangeClosed(1, columns.size())
            .mapToObj(i -> ", v" + i)
            .collect(Collectors.joining())
        + ") as (select * from unnest("
        + LockStatements.arrays(table.name(), id)
        + ", cast(? as text[])".repeat(columns.size())
        + ")) update "
        + table.name()
        + " e set "
        + String.join(", ", assignments)
        + " from x where "
        + where;
  }

  private CatalogColumn column(ColumnUse use) {
    CatalogColumn column = table.column(use.column());
    if (column == null) {
      throw new IllegalArgumentException("No column " + use.column() + " in " + table.name());
    }
    return column;
  }

  private boolean isKnown(String column) {
    return table.column(column) != null;
  }

  private boolean isUnique(String name) {
    return table.indexes().stream()
        .filter(CatalogIndex::unique)
        .anyMatch(
            index ->
                (index.predicate() != null && index.predicate().contains(name))
                    || index.keys().stream()
                        .anyMatch(key -> key.column() == null || key.column().equals(name)));
  }
}
