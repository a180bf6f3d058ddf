package io.rowlock.internal.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads what the catalog says of a table, found as a statement would find it: by its schema or the
 * search path.
 */
final class TableCatalog {

  private static final String TABLE =
      """
      select c.oid, c.relkind, c.relhassubclass and c.relkind = 'r' as inherited,
             pg_get_partkeydef(c.oid) as partition_key
      from pg_catalog.pg_class c
      where c.oid = to_regclass(?)""";

  /** Domains are followed down to the type they rest on. */
  private static final String COLUMNS =
      """
      with recursive typed as (
        select a.attname, a.attnotnull, a.attnum, a.atttypid as type, a.atttypmod as modifier, false as domain
        from pg_catalog.pg_attribute a
        where a.attrelid = ? and a.attnum > 0 and not a.attisdropped
        union all
        select b.attname, b.attnotnull or t.typnotnull, b.attnum, t.typbasetype,
               case when t.typtypmod >= 0 then t.typtypmod else b.modifier end, true
        from typed b join pg_catalog.pg_type t on t.oid = b.type and t.typtype = 'd')
      select b.attname, b.attnotnull, b.domain, b.modifier, t.typname,
             quote_ident(n.nspname) || '.' || quote_ident(t.typname) as type,
             format_type(t.oid, b.modifier) as formatted
      from typed b
      join pg_catalog.pg_type t on t.oid = b.type and t.typtype <> 'd'
      join pg_catalog.pg_namespace n on n.oid = t.typnamespace
      order by b.attnum""";

  /** The null treatment is read through jsonb, since PostgreSQL 14 has no such column. */
  private static final String INDEXES =
      """
      select c.relname, quote_ident(cn.nspname) || '.' || quote_ident(c.relname) as qualified,
             i.indisunique or i.indisexclusion as is_exclusive,
             i.indisunique and not i.indisexclusion and m.amname = 'btree' as is_unique,
             i.indisvalid and i.indisready as is_valid, i.indimmediate, con.conname,
             pg_get_expr(i.indpred, i.indrelid) as predicate,
             coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::boolean, false) as nulls_not_distinct,
             a.attname, pg_get_indexdef(i.indexrelid, k.n, true) as definition,
             'operator(' || quote_ident(opn.nspname) || '.' || op.oprname || ')' as equality,
             coalesce(i.indcollation[k.n - 1] = a.attcollation
                 or (ic.collisdeterministic and ac.collisdeterministic), true)
               and (oc.opcdefault or oc.opcname like '%pattern_ops') as same_equality
      from pg_catalog.pg_index i
      join pg_catalog.pg_class c on c.oid = i.indexrelid
      join pg_catalog.pg_namespace cn on cn.oid = c.relnamespace
      join pg_catalog.pg_am m on m.oid = c.relam
      cross join lateral generate_series(1, i.indnkeyatts) as k(n)
      join pg_catalog.pg_opclass oc on oc.oid = i.indclass[k.n - 1]
      left join pg_catalog.pg_amop amop on amop.amopfamily = oc.opcfamily and amop.amopstrategy = 3
        and amop.amoplefttype = oc.opcintype and amop.amoprighttype = oc.opcintype
      left join pg_catalog.pg_operator op on op.oid = amop.amopopr
      left join pg_catalog.pg_namespace opn on opn.oid = op.oprnamespace
      left join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[k.n - 1]
        and i.indkey[k.n - 1] <> 0
      left join pg_catalog.pg_collation ic on ic.oid = i.indcollation[k.n - 1]
      left join pg_catalog.pg_collation ac on ac.oid = a.attcollation
      left join pg_catalog.pg_constraint con on con.conindid = i.indexrelid and con.contype in ('u', 'p')
        and con.conrelid = i.indrelid
      where i.indrelid = ?
      order by c.relname, k.n""";

  private TableCatalog() {}

  /**
   * The table of that name; empty if there is none.
   *
   * @param table the table in SQL: qualified and quoted as in a statement
   */
  static Optional<CatalogTable> read(Connection connection, String table) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TABLE)) {
      statement.setString(1, table);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        long oid = row.getLong("oid");
        return Optional.of(
            new CatalogTable(
                table,
                row.getString("relkind"),
                row.getBoolean("inherited"),
                row.getString("partition_key"),
                columns(connection, oid),
                indexes(connection, oid)));
      }
    }
  }

  private static Map<String, CatalogColumn> columns(Connection connection, long table)
      throws SQLException {
    Map<String, CatalogColumn> columns = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(COLUMNS)) {
      statement.setLong(1, table);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          String name = row.getString("attname");
          columns.put(
              name,
              new CatalogColumn(
                  name,
                  row.getBoolean("attnotnull"),
                  row.getBoolean("domain"),
                  row.getString("type"),
                  row.getString("typname"),
                  row.getInt("modifier"),
                  row.getString("formatted")));
        }
      }
    }
    return columns;
  }

  private static List<CatalogIndex> indexes(Connection connection, long table) throws SQLException {
    Map<String, CatalogIndex> indexes = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(INDEXES)) {
      statement.setLong(1, table);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          String name = row.getString("relname");
          CatalogIndex index = indexes.get(name);
          if (index == null) {
            index =
                new CatalogIndex(
                    name,
                    row.getString("qualified"),
                    new ArrayList<>(),
                    row.getBoolean("is_unique"),
                    row.getBoolean("is_exclusive"),
                    row.getBoolean("is_valid"),
                    row.getString("conname"),
                    row.getBoolean("indimmediate"),
                    row.getString("predicate"),
                    row.getBoolean("nulls_not_distinct"));
            indexes.put(name, index);
          }
          index
              .keys()
              .add(
                  new CatalogIndex.Key(
                      row.getString("attname"),
                      row.getString("definition"),
                      row.getString("equality"),
                      row.getBoolean("same_equality")));
        }
      }
    }
    return List.copyOf(indexes.values());
  }
}
