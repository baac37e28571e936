-- What users are told, where to, and how that went.

create table alerts (
  id         bigint generated always as identity primary key,
  user_id    bigint not null references users (id) on delete cascade,
  type       text not null,
  severity   text not null check (severity in ('info', 'warning', 'critical')),
  subject    text not null,                  -- what it is about, such as scan:12 or host:example.com
  message    text not null,                  -- in the user's language
  details    jsonb not null default '{}',    -- for programs
  is_read    boolean not null default false,
  created_at timestamptz not null default now()
);
create index alerts_user on alerts (user_id, created_at desc, id desc);
create index alerts_unread on alerts (user_id, created_at desc, id desc) where not is_read;

-- What has been alerted of: nothing more is said of it until it is quiet no longer, or it gets worse.
create table incidents (
  user_id     bigint not null references users (id) on delete cascade,
  type        text not null,
  subject     text not null,
  severity    text not null,
  quiet_until timestamptz not null,          -- infinity: until it is recovered from
  alerted_at  timestamptz not null default now(),
  primary key (user_id, type, subject)
);

create table alert_channels (
  id               bigint generated always as identity primary key,
  user_id          bigint not null references users (id) on delete cascade,
  kind             text not null,
  target           text not null,            -- sealed: most addresses are secrets themselves
  secret           text,                     -- sealed; signs webhooks
  old_secret       text,                     -- sealed; signs beside the new one for a while
  old_secret_until timestamptz,
  active           boolean not null default true,
  failures         integer not null default 0, -- in a row
  rests_until      timestamptz,              -- nothing is sent until then
  created_at       timestamptz not null default now()
);
create index alert_channels_user on alert_channels (user_id, id);

-- One alert on its way to one channel; afterwards the log of how that went.
create table deliveries (
  id         uuid primary key default gen_random_uuid(),
  alert_id   bigint not null references alerts (id) on delete cascade,
  channel_id bigint not null references alert_channels (id) on delete cascade,
  message_id uuid,                           -- the delivery whose message has it in: its own, or that of a digest's first
  state      text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  attempts   smallint not null default 0,
  error      text,                           -- of the last attempt
  begun_at   timestamptz,                    -- when its message was put together
  ended_at   timestamptz,
  created_at timestamptz not null default now(),
  unique (alert_id, channel_id)
);
create index deliveries_unbegun on deliveries (channel_id, created_at) where message_id is null and state = 'waiting';
create index deliveries_messages on deliveries (channel_id, begun_at) where message_id = id;
create index deliveries_message on deliveries (message_id);
create index deliveries_created on deliveries (created_at);

-- Positions stored before were of another site or market, and say nothing of those that follow.
alter table projects add column comparable_from timestamptz not null default '-infinity';
create index projects_domain on projects (domain, user_id);
create index scans_host on scans (host, user_id);

-- Hosts of users' projects and crawls, and what was last seen of them: alerts tell of what changed.
create table watched_hosts (
  host     text not null,                    -- with a port that is not the default
  user_id  bigint not null references users (id) on delete cascade,
  is_https boolean not null default false,   -- a crawl came by https
  let_in   text[],                           -- AI agents that robots.txt let in; null: not known yet
  due_at   timestamptz not null default now(), -- when it is looked at by itself
  primary key (host, user_id)
);
create index watched_hosts_user on watched_hosts (user_id);
create index watched_hosts_due on watched_hosts (due_at);
