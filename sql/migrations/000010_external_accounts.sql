-- The Google accounts that users have connected, consents under way, and what was asked of these accounts.

-- A new connection is a new row with a new id: whatever refers to the old one goes with it.
create table external_connections (
  id               bigint generated always as identity primary key,
  user_id          bigint not null unique references users (id) on delete cascade,
  email            text,                     -- of the Google account; null: it was not told
  scopes           text[] not null,          -- what its owner consented to
  refresh_token    text not null,            -- sealed
  access_token     text,                     -- sealed
  expires_at       timestamptz,              -- of the access token
  renew_at         timestamptz,              -- from then on somebody gets a new one
  renewing_until   timestamptz,              -- somebody is at it
  failed_at        timestamptz,              -- when that last came to nothing
  created_at       timestamptz not null default now()
);
create index external_connections_email on external_connections (lower(email));

-- A user sent to Google, until the browser is back and the code it brings is exchanged.
create table external_consents (
  id         bigint generated always as identity primary key,
  user_id    bigint not null references users (id) on delete cascade,
  state_hash bytea not null unique,          -- SHA-256 of what the browser carries
  verifier   text not null,                  -- sealed; PKCE
  code       text,                           -- sealed; once the browser is back
  used       boolean not null default false,
  expires_at timestamptz not null
);
create index external_consents_expiry on external_consents (expires_at);

-- Grants that nobody uses any more, until Google has been told.
create table external_revocations (
  id            bigint generated always as identity primary key,
  user_id       bigint not null references users (id) on delete cascade,
  email         text,
  refresh_token text not null,               -- sealed
  created_at    timestamptz not null default now()
);

-- What was read through a connection: lists and reports, each fetched by one worker at a time. Losing it is harmless.
create unlogged table report_cache (
  connection_id  bigint not null references external_connections (id) on delete cascade,
  key            bytea not null,             -- SHA-256 of what was asked
  result         jsonb,
  fetched_at     timestamptz,
  worker         uuid,                       -- who fetches, or did
  fetching_until timestamptz,
  failure        text,                       -- what came instead
  failed_at      timestamptz,
  primary key (connection_id, key)
);
