do $rowlock$
declare
  target regclass;
  id_column constant name := '${rowlock.key.id}';
  key_columns constant text[] := array(
    select btrim(part) from unnest(string_to_array('${rowlock.key.columns}', ',')) as part);
  column_list constant text := (
    select string_agg(quote_ident(part), ', ' order by place)
    from unnest(key_columns) with ordinality as key_column (part, place));
  merged text;
  reference record;
  removed bigint;
begin
  if concat('${rowlock.key.table}', '${rowlock.key.columns}', '${rowlock.key.constraint}') like '%${rowlock%' then
    raise exception 'rowlock.key.table, rowlock.key.columns and rowlock.key.constraint have to be given';
  end if;
  target := '${rowlock.key.table}';
  if exists (
      select from pg_constraint
      where conrelid = target and conname = '${rowlock.key.constraint}' and contype = 'u') then
    return;
  end if;

  perform set_config('lock_timeout', '${rowlock.key.lock-timeout}', true);
  execute format('lock table %s in share row exclusive mode', target);

  -- Each row that goes, with the id of the one that stays.
  merged := format(
    $query$(
      select id, kept_id, content
      from (
        select source.%2$I as id,
               first_value(source.%2$I) over (partition by %3$s order by source.%2$I) as kept_id,
               to_jsonb(source) as content
        from %1$s as source
        where num_nonnulls(%3$s) = %4$s) as keyed
      where id <> kept_id) as merged$query$,
    target, id_column, column_list, cardinality(key_columns));

  create table if not exists ${rowlock.key.archive} (
    source text not null,
    removed_id text not null,
    kept_id text not null,
    content jsonb not null,
    merged_at timestamptz not null default now()
  );
  execute format('insert into ${rowlock.key.archive} (source, removed_id, kept_id, content)'
    ' select %L, id, kept_id, content from %s', target::text, merged);

  for reference in
    select c.conname, c.conrelid::regclass as child, referring.attname as child_column,
           cardinality(c.confkey) = 1 and referred.attname = id_column as by_id
    from pg_constraint c
    join pg_attribute referring on referring.attrelid = c.conrelid and referring.attnum = c.conkey[1]
    join pg_attribute referred on referred.attrelid = c.confrelid and referred.attnum = c.confkey[1]
    where c.contype = 'f' and c.confrelid = target and c.conparentid = 0
    order by c.conrelid::regclass::text, c.conname
  loop
    if not reference.by_id then
      raise exception 'Duplicates in % are not merged: the foreign key % of % does not refer to its column %',
        target, reference.conname, reference.child, id_column
        using errcode = 'feature_not_supported',
          hint = 'Nothing was changed. Merge the duplicates with a change set of your own.';
    end if;
    execute format('lock table %s in share row exclusive mode', reference.child);
    execute format('update %s as child set %I = merged.kept_id from %s where child.%2$I = merged.id',
      reference.child, reference.child_column, merged);
  end loop;

  execute format('delete from %s as doomed using %s where doomed.%I = merged.id', target, merged, id_column);
  get diagnostics removed = row_count;
  raise notice '% rows of % were merged', removed, target;
end
$rowlock$
