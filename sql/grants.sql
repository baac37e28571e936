-- What the roles of sql/roles.sql may do; nothing where they do not exist. Run after every migration, by the tables' owner.
select pg_advisory_xact_lock(7241865325823967);
do $$
declare
  name text;
begin
  -- Reads and writes every row, ours and the queue's. It owns nothing, so it can change no table.
  if to_regrole('seo_worker') is not null then
    grant usage on schema public, graphile_worker to seo_worker;
    grant select, insert, update, delete on all tables in schema public, graphile_worker to seo_worker;
    grant usage, select on all sequences in schema public, graphile_worker to seo_worker;
    grant execute on function queue_job, queue_jobs, unqueue_jobs, queue_load, prepare_rankings to seo_worker;
    -- The queue's tables let nobody but their owner see a row, unless a policy does.
    for name in
      select c.relname from pg_class c
       where c.relnamespace = 'graphile_worker'::regnamespace and c.relrowsecurity
         and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'seo_worker')
    loop
      execute format('create policy seo_worker on graphile_worker.%I to seo_worker using (true) with check (true)', name);
    end loop;
  end if;

  -- Of the queue it knows how to add a job and how to take one back; of accounts it may change the key alone, and what
  -- operators and workers decide it may only read.
  if to_regrole('seo_api') is not null then
    grant usage on schema public to seo_api;
    grant select, insert, update, delete on all tables in schema public to seo_api;
    revoke insert, update, delete on users, plans, settings, checks, workers, clock_fires, job_pools, migrations from seo_api;
    grant update (key_hash, key_masked) on users to seo_api;
    grant usage, select on all sequences in schema public to seo_api;
    grant execute on function queue_job, queue_jobs, unqueue_jobs to seo_api;
  end if;

  -- May ask for one number.
  if to_regrole('seo_keda') is not null then
    grant usage on schema public to seo_keda;
    grant execute on function queue_load to seo_keda;
  end if;
end $$;
