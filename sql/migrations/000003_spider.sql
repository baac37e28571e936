-- A scan is what the user made; a crawl is one run of it. Completed crawls are its history.

create table scans (
  id                 bigint generated always as identity primary key,
  user_id            bigint not null references users (id) on delete cascade,
  name               text not null default '',
  start_url          text not null,
  host               text not null,
  max_pages          integer not null check (max_pages between 1 and 10000),
  max_depth          integer not null check (max_depth between 0 and 50),
  speed              text not null check (speed in ('safe', 'fast', 'turbo')),
  include_subdomains boolean not null,
  respect_robots     boolean not null,
  use_sitemap        boolean not null,
  exclude_paths      text not null,
  crawl_id           bigint,  -- the newest crawl
  shown_crawl_id     bigint,  -- the crawl whose pages are read: the newest that ended, or the first
  created_at         timestamptz not null default now()
);
create index scans_user on scans (user_id, id desc);

create table crawls (
  id              bigint generated always as identity primary key,
  scan_id         bigint not null references scans (id) on delete cascade,
  status          text not null default 'crawling' check (status in ('crawling', 'completed', 'failed')),
  mode            text not null default 'undecided' check (mode in ('undecided', 'plain', 'rendered')),
  render_trials   smallint not null default 0, -- pages rendered while undecided
  robots_txt      text,                        -- what robots.txt said, null until read
  robots_status   smallint,                    -- its HTTP status, 0 when it could not be fetched
  scope_host      text not null,               -- host (with a port that is not the default) that counts as the site
  seeded          boolean not null default false,
  cookies         text,                        -- what the site has set, from one slice to the next
  lease           uuid,                        -- fences the slice that may write
  leased_by       uuid,                        -- the worker process that holds it
  leased_until    timestamptz,
  rescues         smallint not null default 0, -- times it was found without a job and queued again
  next_fetch_at   timestamptz not null default now(),
  pages_found     integer not null default 0,
  pages_processed integer not null default 0,
  errors_count    integer not null default 0,
  warnings_count  integer not null default 0,
  status_2xx      integer not null default 0,
  status_3xx      integer not null default 0,
  status_4xx      integer not null default 0,
  status_5xx      integer not null default 0,
  score           smallint check (score between 0 and 100),
  score_version   smallint,
  failure         text,
  started_at      timestamptz,
  finished_at     timestamptz,
  created_at      timestamptz not null default now()
);
create index crawls_scan on crawls (scan_id, id);
create unique index crawls_one_running on crawls (scan_id) where status = 'crawling';

-- Every URL a running crawl knows; emptied when it ends.
create table frontier (
  crawl_id   bigint not null,
  url_key    bigint not null, -- first 8 bytes of the URL's SHA-1
  seq        bigint generated always as identity,
  url        text not null,
  depth      smallint not null,
  in_sitemap boolean not null default false,
  done       boolean not null default false,
  primary key (crawl_id, url_key)
);
create index frontier_queue on frontier (crawl_id, depth, seq) where not done;

create sequence page_ids;

-- Hash-partitioned by crawl, so that reading and deleting a crawl touches one partition.
create table pages (
  crawl_id         bigint not null,
  id               bigint not null default nextval('page_ids'),
  url_key          bigint not null,
  url              text not null,
  depth            smallint not null,
  in_sitemap       boolean not null,
  status_code      smallint not null,          -- 0: the fetch failed
  fault            text,                       -- why it failed
  content_type     text,                       -- MIME type, without parameters
  is_html          boolean not null,
  rendered         boolean not null default false,
  score            smallint check (score between 0 and 100),
  title            text,
  meta_description text,
  h1               text,
  canonical        text,
  canonical_key    bigint,
  redirect_url     text,
  redirect_key     bigint,
  lang             text,
  is_indexable     boolean not null,
  is_noindex       boolean not null,
  words_count      integer not null,
  images_no_alt    integer not null,
  internal_links   integer not null,
  external_links   integer not null,
  schema_types     text,
  content_key      bigint,                     -- hash of the normalised main text
  bytes            integer not null,           -- decoded body
  ttfb_ms          integer,
  total_ms         integer,
  issues           text[] not null default '{}',
  fetched_at       timestamptz not null default now(),
  primary key (crawl_id, id),
  unique (crawl_id, url_key)
) partition by hash (crawl_id);

-- The internal link graph as adjacency lists: one row for each page that links, not one for each link.
create table links (
  crawl_id bigint not null,
  page_id  bigint not null,
  targets  bigint[] not null, -- url_key of each distinct internal target
  nofollow boolean[] not null,
  primary key (crawl_id, page_id)
) partition by hash (crawl_id);

do $$
begin
  for i in 0..7 loop
    execute format('create table pages_%s partition of pages for values with (modulus 8, remainder %s)', i, i);
    execute format('create table links_%s partition of links for values with (modulus 8, remainder %s)', i, i);
  end loop;
end $$;

-- The registry of checks as the workers know it; the API reads severities here.
create table checks (
  code     text primary key,
  severity text not null check (severity in ('major', 'moderate', 'minor')),
  about    text not null
);
