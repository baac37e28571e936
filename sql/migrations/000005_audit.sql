-- How to fix what a check finds, what one finding costs a page's score, and what the check looks at.
alter table checks
  add column fix    text not null default '',
  add column points smallint not null default 0,
  add column scope  text not null default 'page';

-- What the checks over a whole crawl need of each page.
alter table pages
  add column main_words      integer not null default 0, -- words outside navigation and footer
  add column simhash         bigint,      -- of the main text's shingles; null when it is too short
  add column sample          integer[],   -- the smallest hashes of these shingles, ascending
  add column signature       bit(1024),   -- minwise hashes of these shingles, one bit of each
  add column anchors         integer[],   -- hashes of its ids, ascending; null when not all are known
  add column alternate_keys  bigint[],    -- its language versions by hreflang
  add column alternate_langs text[],      -- in lower case
  add column next_key        bigint,      -- rel=next
  add column prev_key        bigint,      -- rel=prev
  add column modified_at     timestamptz; -- when it says it was last changed

alter table links
  add column texts         text[] not null default '{}', -- anchor text of the first link to each target
  add column fragment_keys bigint[],                     -- targets of links to a fragment of another page
  add column fragments     integer[];                    -- hashes of these fragments

-- What sitemaps say of a URL.
alter table frontier
  add column lastmod         timestamptz,
  add column alternate_keys  bigint[],
  add column alternate_langs text[];

alter table crawls
  add column sitemap_urls  integer not null default 0,     -- that sitemaps list
  add column sitemap_whole boolean not null default false; -- all sitemaps were read to their end

-- What pages use besides the pages of their site: links that leave it, images, scripts, style sheets. Each is looked at once.
create table targets (
  crawl_id     bigint not null,
  id           integer not null,               -- 1, 2, 3 … in the order they were found
  url          text not null,
  uses         smallint not null,              -- what for, on any page: bits of tasks/crawl/targets/uses.ts
  internal     boolean not null,               -- belongs to the site
  closed       boolean not null default false, -- robots.txt keeps search engines from it
  status       smallint,                       -- at the end of its redirects; 0: no answer; null: not looked at
  fault        text,
  redirect     smallint,                       -- status of the first redirect
  content_type text,
  bytes        integer,                        -- as transferred, null when unknown
  width        integer,
  height       integer,
  lifetime     integer,                        -- seconds that browsers may keep it
  primary key (crawl_id, id)
);

-- Which page uses which of them, and what for.
create table page_targets (
  crawl_id bigint not null,
  url_key  bigint not null,
  targets  integer[] not null,
  uses     smallint[] not null,
  primary key (crawl_id, url_key)
) partition by hash (crawl_id);

do $$
begin
  for i in 0..7 loop
    execute format('create table page_targets_%s partition of page_targets for values with (modulus 8, remainder %s)', i, i);
  end loop;
end $$;

-- What any crawl has found of an address outside its site; the others believe it for a day.
create table known_targets (
  url          text primary key,
  uses         smallint not null,
  status       smallint not null,
  fault        text,
  redirect     smallint,
  content_type text,
  bytes        integer,
  width        integer,
  height       integer,
  lifetime     integer,
  checked_at   timestamptz not null default now()
);
create index known_targets_checked on known_targets (checked_at);

-- What a crawl found out about its site besides the pages: robots.txt, sitemaps, certificate, access for robots.
create table probes (
  crawl_id        bigint primary key references crawls (id) on delete cascade,
  facts           jsonb not null,
  probed          boolean not null default false, -- false: only the sitemaps were read so far
  targets_seconds real not null default 0,        -- left for looking at targets; then the others are left alone
  probed_at       timestamptz not null default now()
);
