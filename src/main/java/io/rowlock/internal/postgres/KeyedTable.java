package io.rowlock.internal.postgres;

import io.rowlock.UnsupportedMappingException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A table with the unique index that arbitrates between concurrent inserts of a key: which types
 * its columns have, and how the index tells keys apart.
 *
 * <p>Safe for use by any thread. Of what it knows nothing changes; the statements are kept.
 */
public final class KeyedTable {

  /** More shapes than this are not the few that a program has; they start over. */
  private static final int MOST_SHAPES = 64;

  private final String entity;
  private final CatalogTable table;
  private final CatalogIndex arbiter;
  private final List<String> keyColumns;
  private final Map<String, CatalogIndex.Key> keys;
  private final boolean meetsOthers;
  private final Map<Shape, CreateStatements> statements = new ConcurrentHashMap<>();

  /** What the text of the statements depends on, for one entity and key. */
  private record Shape(List<ColumnUse> columns, Set<String> nullKeys) {}

  private KeyedTable(KeyWanted wanted, CatalogTable table, CatalogIndex arbiter) {
    this.entity = wanted.entity();
    this.table = table;
    this.keyColumns = wanted.columns();
    this.arbiter = arbiter;
    this.meetsOthers = meetsOthers(table, arbiter, wanted.fresh());
    this.keys =
        arbiter.keys().stream()
            .collect(Collectors.toMap(key -> String.valueOf(key.column()), Function.identity()));
  }

  /**
   * Asks the catalog.
   *
   * @throws UnsupportedMappingException if no index of the table can arbitrate; says why and what
   *     to do
   * @throws SQLException if the catalog cannot be read
   */
  public static KeyedTable read(Connection connection, KeyWanted wanted) throws SQLException {
    ArbiterSearch search = new ArbiterSearch(wanted);
    CatalogTable found = TableCatalog.read(connection, wanted.table()).orElseThrow(search::noTable);
    return new KeyedTable(wanted, found, search.in(found, connection));
  }

  /**
   * The statements that create a row of one entity once. Their texts are long, and made but once.
   *
   * @param target the table in SQL
   * @param id the columns of the id in SQL
   * @param columns what is done with which column
   * @param nullKeys the columns of the key that are null
   * @param rowColumns the result columns of a row whose alias is {@link CreateStatements#ROW}
   */
  public CreateStatements statements(
      String target,
      List<String> id,
      List<ColumnUse> columns,
      Set<String> nullKeys,
      String rowColumns) {
    Shape shape = new Shape(List.copyOf(columns), Set.copyOf(nullKeys));
    CreateStatements known = statements.get(shape);
    if (known == null) {
      known = new CreateStatements(this, target, id, shape.columns, shape.nullKeys, rowColumns);
      if (statements.size() >= MOST_SHAPES) {
        statements.clear();
      }
      statements.put(shape, known);
    }
    return known;
  }

  /** Whether the index takes two nulls as the same. */
  public boolean nullsAreEqual() {
    return arbiter.nullsNotDistinct();
  }

  /** What the arbiter is called. */
  public String arbiter() {
    return arbiter.called();
  }

  /** What the key is called in messages: its columns, and the predicate of a partial index. */
  public String key() {
    return "(" + String.join(", ", keyColumns) + ")" + where();
  }

  /**
   * Whether an insert can meet a row of the same key in another index first, and has to give way
   * there too.
   */
  public boolean meetsOthers() {
    return meetsOthers;
  }

  private static boolean meetsOthers(CatalogTable table, CatalogIndex arbiter, List<String> fresh) {
    List<CatalogIndex> exclusive =
        table.indexes().stream().filter(CatalogIndex::exclusive).toList();
    // the server refuses to give way to a constraint that may be checked later
    if (!exclusive.stream().allMatch(CatalogIndex::immediate)) {
      return false;
    }
    Set<String> columns =
        fresh.stream().map(SqlIdentifiers::stored).collect(Collectors.toUnmodifiableSet());
    return exclusive.stream()
        .filter(index -> !index.name().equals(arbiter.name()))
        .anyMatch(
            index ->
                index.keys().stream()
                    .noneMatch(key -> key.column() != null && columns.contains(key.column())));
  }

  /** The clause by which an insert gives way, before what it does then. */
  String onConflict(Conflict with) {
    return " on conflict " + (with == Conflict.KEY ? key() + " " : "");
  }

  /**
   * The rows among which the key is unique, as an item of {@code FROM}: all, or those of a partial
   * index. Locks that are taken on the alias are taken on the table's rows.
   */
  String rows(String target, String alias) {
    return rows(target, alias, "*");
  }

  /** The same, and the place of each row besides: its {@code ctid} and {@code tableoid}. */
  String rowsAndPlaces(String target, String alias) {
    return rows(target, alias, "*, ctid, tableoid");
  }

  private String rows(String target, String alias, String columns) {
    return where().isEmpty()
        ? target + " " + alias
        // within brackets, where no other table's columns are in sight
        : "(select " + columns + " from " + target + where() + ") " + alias;
  }

  private String where() {
    return arbiter.predicate() == null ? "" : " where " + arbiter.predicate();
  }

  /**
   * A column of {@code RETURNING} in which an insert fails unless the row is stored under the key
   * that was given: a trigger or a default may have made another one of it, and that row would be
   * inserted again by each call.
   *
   * <p>It fails too if the key's index is gone, which the server finds out itself where that index
   * alone arbitrates.
   *
   * @param sameKey whether the stored key is the given one, in SQL
   */
  String checked(String sameKey, Conflict with) {
    String outside =
        arbiter.predicate() == null
            ? ""
            : " when ("
                + arbiter.predicate()
                + ") is not true then "
                + CreateFailure.OUTSIDE.literal();
    String gone =
        with == Conflict.KEY
            ? ""
            : " when pg_catalog.to_regclass('"
                + indexName().replace("'", "''")
                + "') is null then "
                + CreateFailure.NO_ARBITER.literal();
    return "cast(case when ("
        + sameKey
        + ") is not true then "
        + CreateFailure.OTHER_KEY.literal()
        + outside
        + gone
        + " else 'true' end as boolean)";
  }

  /**
   * The index is where the table is: by the search path, or in the schema that the mapping names.
   */
  private String indexName() {
    return table.name().contains(".") ? arbiter.qualified() : SqlIdentifiers.quoted(arbiter.name());
  }

  /** See {@link CatalogColumn#asStored(String)}. */
  String asStored(String column, String expression) {
    return column(column).asStored(expression);
  }

  /** The value of a row's column, of the same type as {@link #asStored}. */
  String value(String alias, String column) {
    return column(column).value(alias + "." + column);
  }

  /** Compares a key column with an expression, in the way in which the index does. */
  String isKey(String alias, String column, String expression) {
    CatalogIndex.Key key = keys.get(SqlIdentifiers.stored(column));
    String equality = key == null ? "=" : key.equality();
    return value(alias, column) + " " + equality + " " + expression;
  }

  private CatalogColumn column(String identifier) {
    CatalogColumn column = table.column(identifier);
    if (column == null) {
      throw new UnsupportedMappingException(
          entity,
          "The table "
              + table.name()
              + " of "
              + entity
              + " has no column "
              + identifier
              + ". Bring the table and the mapping into agreement");
    }
    return column;
  }
}
