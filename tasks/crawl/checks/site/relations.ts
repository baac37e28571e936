import { sql } from '../../../../sql/pool.ts'

/** Hops followed before a chain counts as endless. */
const HOPS = 20

/** Where each redirect of a crawl ends, as `ways`: its `id` and `url_key`, the `hops` and the `key` they lead to. */
export const redirectWalk = (crawlId: number) => sql.fragment`
  with recursive redirects as materialized (
    select id, url_key, redirect_key from pages
     where crawl_id = ${crawlId} and status_code between 300 and 399 and redirect_key is not null
  ), walk (origin, home, hops, key) as (
    select id, url_key, 1, redirect_key from redirects
    union all
    select w.origin, w.home, w.hops + 1, r.redirect_key from walk w join redirects r on r.url_key = w.key where w.hops <= ${HOPS}
  ), ways as (
    select distinct on (origin) origin as id, home as url_key, hops, key, hops > ${HOPS} as endless from walk order by origin, hops desc
  )`

/** Pages that name another page as canonical: their `id` and `target_key`. */
export const canonicalised = (crawlId: number) => sql.fragment`
  select id, url_key, canonical_key as target_key from pages
   where crawl_id = ${crawlId} and status_code between 200 and 299
     and canonical_key is not null and canonical_key <> url_key`

/**
 * Every link between two addresses once: `page_id`, `key`, `nofollow`. Unnested in the select list, because a lateral
 * unnest is joined page by page, which reads all pages for each of them.
 */
export const edges = (crawlId: number) => sql.fragment`
  select page_id, unnest(targets) as key, unnest(nofollow) as nofollow from links where crawl_id = ${crawlId}`

/** How many pages link to each address: `key`, `followed`, `unfollowed`. */
export const inlinks = (crawlId: number) => sql.fragment`
  select key, count(*) filter (where not nofollow) as followed, count(*) filter (where nofollow) as unfollowed
    from (${edges(crawlId)}) edge group by key`

/** The `id` of the page that stands for the site: the start URL, or where its redirects end. */
export const startPage = (crawlId: number) => sql.fragment`
  with recursive way (id, redirect_key, hops) as (
    select p.id, p.redirect_key, 0
      from pages p join crawls c on c.id = p.crawl_id join scans s on s.id = c.scan_id
     where p.crawl_id = ${crawlId} and p.url = s.start_url
    union all
    select p.id, p.redirect_key, way.hops + 1
      from way join pages p on p.crawl_id = ${crawlId} and p.url_key = way.redirect_key where way.hops < ${HOPS}
  )
  select id from way order by hops desc limit 1`

/** Pages that link to a page of which `condition` holds. Redirects are no links. */
export const linkingTo = (crawlId: number, condition: ReturnType<typeof sql.fragment>) => sql.fragment`
  with target as materialized (
    select url_key from pages where crawl_id = ${crawlId} and ${condition}
  ), source as materialized (
    select distinct page_id as id from (${edges(crawlId)}) edge join target on target.url_key = edge.key
  )
  select id from source join pages p using (id) where p.crawl_id = ${crawlId} and p.status_code between 200 and 299`
