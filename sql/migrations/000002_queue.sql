-- What our side of the job queue needs beside graphile-worker's own schema.

-- A row per living worker process; it beats every 5 s, and the reaper unlocks the jobs of any that stopped.
create table workers (
  id         uuid primary key,
  host       text not null,
  pools      text[] not null,
  pool_ids   text[] not null default '{}', -- graphile-worker's locked_by values
  started_at timestamptz not null default now(),
  beat_at    timestamptz not null default now()
);

-- One row per cron slot that was fired, however many clocks run.
create table clock_fires (
  name     text not null,
  slot     timestamptz not null,
  fired_at timestamptz not null default now(),
  primary key (name, slot)
);

-- A synchronous endpoint waits for one of these; the worker fills it in.
create table answers (
  id          uuid primary key,
  state       text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  result      jsonb,
  problem     jsonb, -- {key, params} of a Problem
  deadline_at timestamptz not null,
  created_at  timestamptz not null default now(),
  finished_at timestamptz
);
create index answers_created on answers (created_at);
