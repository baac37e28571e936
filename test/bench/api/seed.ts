import { createAccount } from '../../../sql/accounts.ts'
import { makeKey } from '../../../sql/keys.ts'
import { db, sql } from '../../../sql/pool.ts'

const DAYS = 90
const PAGES_OF_A_SCAN = 1000
const KEYWORDS_OF_A_PROJECT = 100

/** What there is of each, evenly spread over the accounts; ids run from 1. */
export type Seeded = Awaited<ReturnType<typeof seed>>

/** Fills the database with accounts that have projects with 90 days of positions, and scans with pages. */
export async function seed({
  accounts,
  rankings,
  pages,
}: {
  accounts: number
  rankings: number
  pages: number
}) {
  const run = (statement: ReturnType<typeof sql.fragment>) => db().query(sql.typeAlias('void')`${statement}`)
  const users: { id: number; key: string }[] = []
  for (let n = 0; n < accounts; n++) {
    const key = makeKey()
    const { id } = await createAccount({ email: `api-${n}@example.test`, key, plan: 'bench' })
    users.push({ id, key })
  }
  const first = users[0]!.id
  const each = (all: number, size: number) => Math.max(1, Math.round(all / size / accounts))
  const projects = each(rankings, DAYS * KEYWORDS_OF_A_PROJECT) * accounts
  const scans = each(pages, PAGES_OF_A_SCAN) * accounts
  await run(sql.fragment`
    insert into projects (user_id, name, domain, location_code, language_code, refreshed_at)
    select ${first} + n % ${accounts}, 'Project ' || n, 'example-' || n || '.com', 2380, 'it', now()
      from generate_series(1, ${projects}) n order by n`)
  await run(sql.fragment`
    insert into keywords (project_id, keyword, keyword_key, last_position, last_url, checked_at)
    select p, 'keyword ' || k, 'keyword ' || k, nullif(k % 101, 0), 'https://example.com/' || k, now()
      from generate_series(1, ${projects}) p, generate_series(1, ${KEYWORDS_OF_A_PROJECT}) k order by p, k`)
  await run(sql.fragment`
    insert into rankings (keyword_id, checked_at, position, url)
    select k.id, now() - make_interval(days => d), nullif((k.id * 7 + d * 3) % 101, 0), 'https://example.com/'
      from generate_series(0, ${DAYS - 1}) d, keywords k`)
  await run(sql.fragment`
    insert into scans (user_id, start_url, host, max_pages, max_depth, speed, include_subdomains, respect_robots,
                       use_sitemap, exclude_paths, crawl_id, shown_crawl_id)
    select ${first} + n % ${accounts}, 'https://example.com/', 'example.com', 1000, 10, 'turbo', false, true, true, '', n, n
      from generate_series(1, ${scans}) n order by n`)
  await run(sql.fragment`
    insert into crawls (scan_id, status, scope_host, seeded, pages_found, pages_processed, score, started_at, finished_at)
    select n, 'completed', 'example.com', true, ${PAGES_OF_A_SCAN}, ${PAGES_OF_A_SCAN}, 80, now(), now()
      from generate_series(1, ${scans}) n order by n`)
  await run(sql.fragment`
    insert into pages (crawl_id, url_key, url, depth, in_sitemap, status_code, content_type, is_html, score, title,
                       meta_description, h1, is_indexable, is_noindex, words_count, images_no_alt, internal_links,
                       external_links, bytes, issues)
    select c, p, 'https://example.com/page/' || p, 1, true, 200, 'text/html', true, 50 + p % 50, 'Title of page ' || p,
           'What page ' || p || ' says', 'Heading', true, false, 300, 1, 20, 2, 14000,
           case when p % 3 = 0 then array['title_short', 'img_alt_missing'] else '{}' end
      from generate_series(1, ${scans}) c, generate_series(1, ${PAGES_OF_A_SCAN}) p`)
  await db().query(sql.typeAlias('void')`vacuum analyze`)
  const owner = (n: number) => users[n % accounts]!
  return {
    rankings: projects * KEYWORDS_OF_A_PROJECT * DAYS,
    pages: scans * PAGES_OF_A_SCAN,
    accounts,
    project: { count: projects, owner },
    keyword: {
      count: projects * KEYWORDS_OF_A_PROJECT,
      owner: (id: number) => owner(Math.ceil(id / KEYWORDS_OF_A_PROJECT)),
    },
    scan: { count: scans, owner },
    page: { count: scans * PAGES_OF_A_SCAN, scanOf: (id: number) => Math.ceil(id / PAGES_OF_A_SCAN) },
  }
}
