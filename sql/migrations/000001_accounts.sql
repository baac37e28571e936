-- Accounts, what they may do, and how often.

create table plans (
  name      text primary key,
  api       boolean not null default true,
  max_pages integer not null default 200 check (max_pages between 1 and 10000)
);
insert into plans (name) values ('default');

create table settings (
  name  text primary key,
  value jsonb not null
);

create table users (
  id         bigint generated always as identity primary key,
  email      text not null,
  name       text not null default '',
  plan       text not null default 'default' references plans (name),
  type       smallint not null default 0 check (type in (0, 1)), -- 1 = administrator
  status     text not null default 'active' check (status in ('active', 'suspended')),
  locale     text not null default 'it' check (locale in ('it', 'en')),
  key_hash   bytea unique,     -- SHA-256 of the API key; the key itself is never stored
  key_masked text,             -- first 4 and last 4 characters, bullets between
  created_at timestamptz not null default now()
);
create unique index users_email on users (lower(email));

-- Fixed windows of one minute; losing them in a crash is harmless.
create unlogged table rate_windows (
  user_id    bigint not null,
  service    text not null, -- seo, scraper
  started_at timestamptz not null,
  hits       integer not null,
  primary key (user_id, service)
) with (fillfactor = 50);
