-- The jobs of the scraping service. A job is cancelled by deleting it; whoever works on it notices by its lease.

create table scrape_jobs (
  id                   bigint generated always as identity primary key,
  public_id            text not null unique,       -- job_<Unix seconds>_<hex>
  user_id              bigint not null references users (id) on delete cascade,
  url                  text not null,
  host                 text not null,              -- of the URL, without port
  depth                smallint not null check (depth between 0 and 5),
  max_pages            integer not null check (max_pages between 1 and 10000),
  html_only            boolean not null,
  filters              jsonb not null,
  status               text not null default 'pending' check (status in ('pending', 'running', 'completed', 'failed')),
  answer               uuid,                       -- whoever waits for its end waits for this row of answers
  attempt              smallint not null default 0,
  archive              text,                       -- the file this attempt writes; readable once completed
  lease                uuid,                       -- fences the run that may write
  leased_by            uuid,                       -- the worker process that holds it
  leased_until         timestamptz,
  rescues              smallint not null default 0, -- times it was found without a queued job and queued again
  pages_downloaded     integer not null default 0,
  resources_downloaded integer not null default 0,
  bytes_downloaded     bigint not null default 0,  -- decoded bodies
  duplicates_skipped   integer not null default 0,
  errors               integer not null default 0,
  truncated            boolean,
  zip_size             bigint,
  cms                  text,
  failure              text,
  created_at           timestamptz not null default now(),
  started_at           timestamptz,
  completed_at         timestamptz
) with (fillfactor = 70);                          -- a running job's row is rewritten every second
create index scrape_jobs_user on scrape_jobs (user_id, created_at desc, id desc);
create index scrape_jobs_under_way on scrape_jobs (id) where status in ('pending', 'running');
create index scrape_jobs_ended on scrape_jobs (completed_at) where completed_at is not null;
