-- The service's database roles, made once by somebody who may create roles, on the service's database:
--   psql "$ADMIN_URL" -f sql/roles.sql    and then a password for each: \password seo_owner …
-- Roles that exist are left as they are, so they may also come from elsewhere. What each may do is granted by
-- `npm run migrate` (sql/grants.sql), which from then on runs as seo_owner.
do $$
declare
  role text;
begin
  foreach role in array array['seo_owner', 'seo_worker', 'seo_api', 'seo_keda'] loop
    if to_regrole(role) is null then
      execute format('create role %I login nosuperuser nocreatedb nocreaterole', role);
    end if;
    execute format('grant connect on database %I to %I', current_database(), role);
  end loop;
  execute format('grant create on database %I to seo_owner', current_database());
  grant usage, create on schema public to seo_owner;
  -- A scaler's query never takes long, and nobody waits for it.
  alter role seo_keda set statement_timeout = '5s';
  alter role seo_keda connection limit 20;
  -- The clock tells how long transactions of other roles have been open; without this it sees its own.
  begin
    grant pg_read_all_stats to seo_worker;
  exception when insufficient_privilege then
    raise notice 'seo_worker cannot be granted pg_read_all_stats: %', sqlerrm;
  end;
end $$;
