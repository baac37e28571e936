-- Rank tracking: projects, their keywords, and where those stood at each check.

-- 0: never by itself.
alter table plans add column refresh_hours integer not null default 24 check (refresh_hours between 0 and 8760);

create table projects (
  id                 bigint generated always as identity primary key,
  user_id            bigint not null references users (id) on delete cascade,
  name               text not null,
  domain             text not null,          -- lower case, ASCII, without www.
  location_code      integer not null,
  language_code      text not null,
  console_property   text,
  analytics_property text,                   -- digits
  keywords_count     integer not null default 0,
  refreshed_at       timestamptz,            -- when a refresh last stored a position
  claimed_at         timestamptz,            -- when a refresh was last begun: the cooldown runs from here
  claim              uuid,                   -- which one that was
  due_at             timestamptz not null default 'infinity', -- when it is refreshed by itself; the clock sets it
  created_at         timestamptz not null default now()
);
create index projects_user on projects (user_id, id desc);
create index projects_due on projects (due_at);

create table keywords (
  id            bigint generated always as identity primary key,
  project_id    bigint not null references projects (id) on delete cascade,
  keyword       text not null,
  keyword_key   text not null,               -- normal form C, lower case
  search_volume integer,
  volume_at     timestamptz,                 -- when the volume was asked for
  last_position smallint,                    -- null: not among the first 100, or never checked
  last_url      text,
  checked_at    timestamptz,                 -- when a position was last stored
  tried_at      timestamptz,                 -- when one was last asked for, whether or not there was an answer
  target_url    text,
  tags          text[] not null default '{}',
  notes         text,
  created_at    timestamptz not null default now(),
  unique (project_id, keyword_key)
);
create index keywords_project on keywords (project_id, id);
create index keywords_tags on keywords using gin (tags) where tags <> '{}';

-- However keywords come and go, their project knows how many it has.
create function count_keywords() returns trigger language plpgsql as $$
begin
  update projects p set keywords_count = p.keywords_count + changed.many
    from (select project_id, count(*)::int * tg_argv[0]::int as many from these group by project_id) changed
   where p.id = changed.project_id;
  return null;
end $$;
create trigger keywords_added after insert on keywords referencing new table as these
  for each statement execute function count_keywords('1');
create trigger keywords_removed after delete on keywords referencing old table as these
  for each statement execute function count_keywords('-1');

-- One partition for each month: old ones can be dropped, and the newest stays in memory.
create table rankings (
  keyword_id bigint not null references keywords (id) on delete cascade,
  checked_at timestamptz not null,
  position   smallint,                       -- null: not among the first 100
  url        text,
  -- With the position beside it the figures of a project are read from the index alone.
  primary key (keyword_id, checked_at) include (position)
) partition by range (checked_at);
create table rankings_default partition of rankings default;

-- Makes the partitions of this month and the next two, and of those that rows have come for without one. Called by the
-- migration and every night.
create function prepare_rankings() returns void language plpgsql as $$
declare
  month timestamp;
  name  text;
  since timestamptz;
  until timestamptz;
begin
  for month in
    select date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead) from generate_series(0, 2) ahead
    union select date_trunc('month', checked_at at time zone 'UTC') from rankings_default
  loop
    name := format('rankings_%s', to_char(month, 'YYYY_MM'));
    continue when to_regclass(name) is not null;
    since := month at time zone 'UTC';
    until := (month + interval '1 month') at time zone 'UTC';
    lock table rankings in share row exclusive mode;
    execute format('create table %I (like rankings including defaults)', name);
    execute format('with moved as (delete from rankings_default where checked_at >= %L and checked_at < %L returning *)
                    insert into %I select * from moved', since, until, name);
    execute format('alter table rankings attach partition %I for values from (%L) to (%L)', name, since, until);
  end loop;
end $$;
select prepare_rankings();

-- A project's turns lie `hours` apart, at a time of its own: a fleet's work is spread over the day, and stays so after an
-- outage. The first turn after `after`; never for 0 hours.
create function next_turn(project bigint, hours integer, after timestamptz) returns timestamptz language sql immutable as $$
  select case when hours = 0 then 'infinity'
              else to_timestamp(phase + span * (1 + floor((extract(epoch from after) - phase) / span))) end
    from (select hours * 3600 as span, (hashint8(project) & 2147483647) % nullif(hours * 3600, 0) as phase) its
$$;

-- Positions asked of the source's cheap queue, one open question for each keyword.
create table rank_tasks (
  id          bigint generated always as identity primary key,
  keyword_id  bigint not null unique references keywords (id) on delete cascade,
  batch       uuid,                          -- the call that posts it; also set when that call came to an unknown end
  posted_at   timestamptz,
  upstream_id text unique,                   -- known once the source has taken it
  created_at  timestamptz not null default now()
);
create index rank_tasks_unposted on rank_tasks (id) where batch is null;
