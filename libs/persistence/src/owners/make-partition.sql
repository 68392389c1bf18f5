-- The month of `p_month` in UTC: `<table>_y2026m11`. For a login that owns no table.
create function make_partition(p_table text, p_month date) returns void language plpgsql security definer as $$
declare
  v_from date := date_trunc('month', p_month::timestamp);
begin
  execute format('create table %I partition of %I for values from (%L) to (%L)', p_table || to_char(v_from, '"_y"YYYY"m"MM'), p_table,
    to_char(v_from, 'YYYY-MM-DD"T00:00:00Z"'), to_char(v_from + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"'));
end $$;
