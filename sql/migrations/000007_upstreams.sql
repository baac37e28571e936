-- Paid sources: how many calls are in flight, when to leave them alone, what they cost; and what they said.

-- A row is a call in flight; losing them in a crash is harmless.
create unlogged table upstream_slots (
  upstream text not null,
  slot     smallint not null,
  holder   uuid not null,
  worker   uuid not null,
  until    timestamptz not null,
  primary key (upstream, slot)
);

-- No calls until then: the account is refused or out of money.
create unlogged table upstream_rests (
  upstream text primary key,
  until    timestamptz not null,
  reason   text not null
);

create table upstream_costs (
  day      date not null,
  user_id  bigint references users (id) on delete set null, -- null: the service itself
  upstream text not null,
  call     text not null,
  calls    integer not null,
  cost_usd numeric not null,
  unique nulls not distinct (day, user_id, upstream, call)
);

-- Runs that count against a rolling quota.
create table quota_uses (
  id      bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  quota   text not null,
  used_at timestamptz not null default clock_timestamp()
);
create index quota_uses_recent on quota_uses (user_id, quota, used_at);

-- Ideas for a seed, shared by all users.
create table keyword_ideas (
  keyword       text not null,
  location_code integer not null,
  language_code text not null,
  result        jsonb,
  generated_at  timestamptz,
  seeking_until timestamptz,      -- somebody is at it
  primary key (keyword, location_code, language_code)
);

-- The source's catalogue, loaded whole.
create table locations (
  location_code        integer primary key,
  location_name        text not null,
  location_code_parent integer,
  country_iso_code     text not null,
  location_type        text not null
);
create index locations_country on locations (country_iso_code, location_name);
create index locations_countries on locations (location_name) where location_type = 'Country';
-- Where the extension may be had, parts of names are found through an index; elsewhere by reading one country's.
do $$ begin
  create extension if not exists pg_trgm;
  create index locations_name on locations using gin (location_name gin_trgm_ops);
exception when insufficient_privilege or undefined_file or feature_not_supported or undefined_object then
  raise notice 'pg_trgm is not to be had: %', sqlerrm;
end $$;
create table languages (
  code text primary key,
  name text not null
);
create table catalogue_loads (
  name          text primary key, -- locations, languages
  loaded_at     timestamptz,
  loading_until timestamptz       -- somebody is at it
);
