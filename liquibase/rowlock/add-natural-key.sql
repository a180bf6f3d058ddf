do $rowlock$
declare
  target regclass;
  key_name constant name := '${rowlock.key.constraint}';
  id_column constant name := '${rowlock.key.id}';
  key_columns constant text[] := array(
    select btrim(part) from unnest(string_to_array('${rowlock.key.columns}', ',')) as part);
  column_list constant text := (
    select string_agg(quote_ident(part), ', ' order by place)
    from unnest(key_columns) with ordinality as key_column (part, place));
  shown constant text := (
    select string_agg(format('%L || quote_nullable(%I)', part || '=', part), ' || '', '' || ' order by place)
    from unnest(key_columns) with ordinality as key_column (part, place));
  existing text[];
  found_keys bigint;
  report text;
begin
  if concat('${rowlock.key.table}', '${rowlock.key.columns}', '${rowlock.key.constraint}') like '%${rowlock%' then
    raise exception 'rowlock.key.table, rowlock.key.columns and rowlock.key.constraint have to be given';
  end if;
  target := '${rowlock.key.table}';
  perform set_config('lock_timeout', '${rowlock.key.lock-timeout}', true);

  select array(
    select attribute.attname::text
    from unnest(c.conkey) with ordinality as key_column (number, place)
    join pg_attribute attribute on attribute.attrelid = c.conrelid and attribute.attnum = key_column.number
    order by key_column.place)
  into existing
  from pg_constraint c
  where c.conrelid = target and c.conname = key_name and c.contype = 'u' and not c.condeferrable;
  if existing = key_columns
      and not exists (
        select from pg_attribute
        where attrelid = target and attname = any (key_columns) and not attnotnull) then
    raise notice '% has the constraint % already', target, key_name;
    return;
  end if;

  execute format(
    $query$
    select count(*), string_agg(line, E'\n' order by place) filter (where place <= 50)
    from (
      select row_number() over (order by %2$s) as place,
             format('  %%s: %%s rows, %5$s %%s%%s', %3$s, count(*),
                    array_to_string((array_agg(%4$I order by %4$I))[:20], ', '),
                    case when count(*) > 20 then ', ...' else '' end) as line
      from %1$s
      where num_nonnulls(%2$s) = %6$s
      group by %2$s
      having count(*) > 1) as duplicate
    $query$,
    target, column_list, shown, id_column, replace(id_column, '%', '%%'), cardinality(key_columns))
  into found_keys, report;
  if found_keys > 0 then
    raise exception 'The unique constraint % is not added: % keys of % are there more than once',
      key_name, found_keys, target
      using errcode = 'unique_violation',
        table = target::text,
        constraint = key_name,
        detail = report || case when found_keys > 50 then format(E'\n  and %s keys more', found_keys - 50) else '' end,
        hint = 'Nothing was changed. Rename, merge or delete the duplicates and run the change log again.';
  end if;

  execute format(
    $query$
    select count(*), string_agg(id::text, ', ' order by place) filter (where place <= 50)
    from (
      select %3$I as id, row_number() over (order by %3$I) as place
      from %1$s
      where num_nulls(%2$s) > 0) as incomplete
    $query$,
    target, column_list, id_column)
  into found_keys, report;
  if found_keys > 0 then
    raise exception 'The unique constraint % is not added: % rows of % have no complete key',
      key_name, found_keys, target
      using errcode = 'not_null_violation',
        table = target::text,
        detail = format('  null in (%s): %s %s', column_list, id_column,
          report || case when found_keys > 50 then ', ...' else '' end),
        hint = 'Nothing was changed. Give these rows a key and run the change log again.';
  end if;

  -- A row that came in since the checks makes these fail as well.
  execute format('alter table %s %s', target, (
    select string_agg(format('alter column %I set not null', part), ', ' order by place)
    from unnest(key_columns) with ordinality as key_column (part, place)));
  if existing is distinct from key_columns then
    execute format('alter table %s add constraint %I unique (%s)', target, key_name, column_list);
  end if;
end
$rowlock$
