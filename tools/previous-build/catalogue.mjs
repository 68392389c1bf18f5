/** Partitions of a month are made as months come; they are no part of what migrations made. */
const OF_A_MONTH = '_y[0-9]{4}m[0-9]{2}';

/** What the migrations of a schema have made, a line each, in an order of its own: tables, columns, constraints, indexes, functions. */
export async function describeSchema(client, schema) {
  const { rows } = await client.query(
    `with tables as (
       select * from pg_class where relnamespace = $1::text::regnamespace and relkind in ('r', 'p') and relname <> 'migrations' and relname !~ $2
     )
     select format('table %s %s %s %s', t.relname, pg_get_partkeydef(t.oid), pg_get_expr(t.relpartbound, t.oid), t.reloptions) as line from tables t
     union all
     select format('column %s.%s %s %s %s %s', t.relname, a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end, nullif(a.attidentity, ''), pg_get_expr(d.adbin, d.adrelid))
       from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
     union all
     select format('constraint %s.%s %s', t.relname, c.conname, pg_get_constraintdef(c.oid)) from tables t join pg_constraint c on c.conrelid = t.oid
     union all
     select pg_get_indexdef(i.indexrelid) from tables t join pg_index i on i.indrelid = t.oid
     union all
     select pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = $1::text::regnamespace
     union all
     select format('sequence %s %s', sequencename, max_value) from pg_sequences where schemaname = $1::text and sequencename <> 'migrations_id_seq'
     order by 1`,
    [schema, OF_A_MONTH],
  );
  return rows.map(({ line }) => line);
}
