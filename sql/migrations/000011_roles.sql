-- What roles without rights to the queue's own tables call instead (sql/grants.sql). The queue's schema is made after ours,
-- so these bodies are read when they are called.

-- Which pool runs which job; the clock writes it when it starts. So a scaler need not know our jobs.
create table job_pools (
  task text primary key,
  pool text not null
);

create function queue_job(task text, payload json, run_at timestamptz, attempts integer, key text, priority integer)
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform graphile_worker.add_job(task, payload, run_at => queue_job.run_at, max_attempts => attempts,
                                  job_key => key, priority => queue_job.priority);
end $$;

-- Takes an array of {task, payload, run_at, attempts, key, priority}.
create function queue_jobs(jobs jsonb)
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform graphile_worker.add_jobs(array(
    select row(j.task, j.payload, null, j.run_at, j.attempts, j.key, j.priority, null)::graphile_worker.job_spec
      from jsonb_to_recordset(jobs)
        as j (task text, payload json, run_at timestamptz, attempts int, key text, priority int)));
end $$;

create function unqueue_jobs(keys text[])
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform graphile_worker.remove_job(k) from unnest(keys) k;
end $$;

-- How many jobs of a pool run or are due; what a scaler divides by the jobs that one process takes. Those that run count
-- too, or busy processes would be taken away.
create function queue_load(of_pool text)
returns integer language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (select count(*) from (
    select from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      join public.job_pools p on p.task = t.identifier
     where p.pool = of_pool
       and (j.locked_at is not null or j.attempts < j.max_attempts and j.run_at <= now() + interval '10 seconds')
     limit 20000) counted);
end $$;

-- It makes tables, which only their owner should.
alter function prepare_rankings() security definer set search_path = public, pg_temp;

revoke execute on function
  queue_job, queue_jobs, unqueue_jobs, queue_load, prepare_rankings from public;
