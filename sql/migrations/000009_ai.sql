-- The AI modules: what each analysis found, and every answer it paid for. A run is in its table once it has ended well.

create table geo_audits (
  id              bigint generated always as identity primary key,
  user_id         bigint not null references users (id) on delete cascade,
  run             uuid not null unique,      -- a run that is repeated after a crash is one row
  host            text not null,
  url             text not null,
  geo_score       integer not null,
  has_llms_txt    boolean not null,
  pages_count     integer not null,
  checks          json not null,             -- json, here and below: for people, who see the keys in the order they were put in
  recommendations json not null,
  ai_crawlers     json not null,
  created_at      timestamptz not null default now()
);
create index geo_audits_user on geo_audits (user_id, id desc);

create table visibility_runs (
  id            bigint generated always as identity primary key,
  user_id       bigint not null references users (id) on delete cascade,
  run           uuid not null unique,
  brand         text not null,
  host          text,
  engine        text not null,               -- names, comma separated
  score         integer not null,
  prompts_total integer not null,
  cited_count   integer not null,
  first_count   integer not null,
  avg_position  float8,
  result        json not null,
  created_at    timestamptz not null default now()
);
create index visibility_runs_user on visibility_runs (user_id, id desc);

create table engine_tests (
  id         bigint generated always as identity primary key,
  user_id    bigint not null references users (id) on delete cascade,
  run        uuid not null unique,
  keyword    text not null,
  url        text not null,
  score      integer not null,
  result     json not null,
  created_at timestamptz not null default now()
);
create index engine_tests_user on engine_tests (user_id, id desc);

create table competitor_reports (
  id          bigint generated always as identity primary key,
  user_id     bigint not null references users (id) on delete cascade,
  run         uuid not null unique,
  brand       text not null,
  competitors text[] not null,
  result      json not null,
  created_at  timestamptz not null default now()
);
create index competitor_reports_user on competitor_reports (user_id, id desc);

create table prompt_researches (
  id         bigint generated always as identity primary key,
  user_id    bigint not null references users (id) on delete cascade,
  run        uuid not null unique,
  prompt     text not null,
  language   text not null,
  result     json not null,
  created_at timestamptz not null default now()
);
create index prompt_researches_user on prompt_researches (user_id, id desc);

-- What engines answered, kept as it comes: a run that is repeated asks none of it again.
create table ai_answers (
  id            bigint generated always as identity primary key,
  run           uuid not null,
  user_id       bigint not null references users (id) on delete cascade,
  engine        text not null,
  model         text not null,               -- the one that served
  prompt        text not null,
  text          text not null,
  citations     json not null,
  retrieved     json not null,
  queries       text[] not null,
  ended         text not null check (ended in ('whole', 'truncated', 'refused')),
  input_tokens  integer not null,
  output_tokens integer not null,
  searches      integer not null,
  cost_usd      numeric not null,
  created_at    timestamptz not null default now()
);
create index ai_answers_run on ai_answers (run, id);
create index ai_answers_created on ai_answers (created_at);
