import { z } from 'zod'

import { db, type Executor, sql } from './pool.ts'

/** Looking at targets may take half as long as the pages took, within these seconds. */
const TARGETS_LEAST = 60
const TARGETS_MOST = 300

/** What another release kept in another shape was not asked. */
const asked = <S extends z.ZodType>(schema: S) => schema.nullable().catch(null)

const Sitemaps = z.object({
  /** `Sitemap:` lines of robots.txt. */
  named: z.int(),
  /** Those that were asked for; `unknown` when nothing clear came back. `urls`: pages they list. */
  files: z.array(
    z.object({
      url: z.string(),
      state: z.enum(['read', 'missing', 'invalid', 'unknown']),
      large: z.boolean(),
      urls: z.int(),
    }),
  ),
  /** Listed addresses on hosts that are not the site's, and with `http:`. */
  offsite: z.int(),
  insecure: z.int(),
})
export type Sitemaps = z.output<typeof Sitemaps>

/** What was learnt of a site besides its pages. Null is what was not asked or got no clear answer: no fault is found in it. */
const Facts = z.object({
  /** When, as ISO 8601. */
  at: z.string(),
  /** The page that stands for the site: the start URL, or where its redirects end. */
  start: z.object({
    url: z.string(),
    status: z.int(),
    title: z.string().nullable(),
    canonical: z.string().nullable(),
  }),
  sitemaps: asked(Sitemaps),
  /** `error`: why a browser would refuse it. Dates as ISO 8601. */
  certificate: asked(z.object({ validTo: z.string(), issuer: z.string(), error: z.string().nullable() })),
  /** Whether TLS 1.0 or 1.1 are accepted. */
  oldTls: asked(z.boolean()),
  /** The site by plain http: its status, where it leads, and whether there is an https site at all. */
  http: asked(
    z.object({
      status: z.int(),
      secured: z.enum(['permanently', 'temporarily', 'by canonical']).nullable(),
      hasHttps: z.boolean(),
    }),
  ),
  /** The host with `www.`, or without: whether the same page is there in its own right. */
  twin: asked(z.object({ host: z.string(), status: z.int(), duplicate: z.boolean() })),
  /** What an address answers that cannot exist, and where its redirects end, if it has any. */
  nowhere: asked(z.object({ status: z.int(), landed: z.enum(['there', 'home', 'elsewhere']) })),
  /** Whether a page names an icon; if none does, what `/favicon.ico` answers. */
  icon: asked(
    z.object({ named: z.boolean(), status: z.int().nullable(), contentType: z.string().nullable() }),
  ),
  llms: asked(z.object({ status: z.int(), contentType: z.string().nullable(), text: z.string() })),
  /** The start page as visitors of other names get it; status 0 is no answer. */
  visits: asked(
    z.array(z.object({ name: z.string(), status: z.int(), bytes: z.int(), challenged: z.boolean() })),
  ),
})
export type Facts = z.output<typeof Facts>

/** With robots.txt, which the crawl itself keeps; status 0 when it could not be had. */
export type SiteFacts = Facts & { robots: { status: number; text: string } }

const Page = z.object({
  url: z.string(),
  status: z.int(),
  title: z.string().nullable(),
  canonical: z.string().nullable(),
})

/** A crawled page, as far as probes need it. */
export async function page(crawlId: number, id: number, on: Executor = db()) {
  return await on.one(sql.type(Page)`
    select url, status_code as status, title, canonical from pages where crawl_id = ${crawlId} and id = ${id}`)
}

const State = z.object({ sitemaps: asked(Sitemaps), probed: z.boolean(), targets_seconds: z.number() })

/** How far the probes of a crawl are; `targets_seconds`: left for its targets. */
export async function state(crawlId: number, on: Executor = db()) {
  return await on.one(sql.type(State)`
    select p.facts -> 'sitemaps' as sitemaps, coalesce(p.probed, false) as probed,
           coalesce(p.targets_seconds, 0) as targets_seconds
      from crawls c left join probes p on p.crawl_id = c.id where c.id = ${crawlId}`)
}

/** Keeps what reading the sitemaps showed; the other probes come later. */
export async function keepSitemaps(crawlId: number, sitemaps: Sitemaps, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    insert into probes (crawl_id, facts) values (${crawlId}, ${sql.jsonb({ sitemaps })})
    on conflict (crawl_id) do update set facts = excluded.facts where not probes.probed`)
}

/** Keeps what the probes found, `agents` being what it means for AI agents, and sets the time for the targets. */
export async function keep(
  crawlId: number,
  facts: Facts & { agents: readonly { token: string; purpose: string; allowed: boolean; met: string }[] },
  on: Executor = db(),
) {
  await on.query(sql.typeAlias('void')`
    insert into probes (crawl_id, facts, probed, targets_seconds)
    select id, ${sql.jsonb(facts as never)}, true,
           greatest(${TARGETS_LEAST}, least(${TARGETS_MOST}, extract(epoch from now() - started_at) / 2))
      from crawls where id = ${crawlId}
    on conflict (crawl_id) do update
       set facts = excluded.facts, probed = true, targets_seconds = excluded.targets_seconds, probed_at = now()`)
}

/** Takes the time that was needed from what is left for targets. */
export async function spend(crawlId: number, seconds: number, on: Executor = db()) {
  await on.query(sql.typeAlias('void')`
    update probes set targets_seconds = greatest(0, targets_seconds - ${seconds}) where crawl_id = ${crawlId}`)
}

const Kept = z.object({ facts: Facts, status: z.int(), text: z.string() })

/** What the probes found; null when they did not run. */
export async function find(crawlId: number, on: Executor = db()): Promise<SiteFacts | null> {
  const kept = await on.maybeOne(sql.type(Kept)`
    select p.facts, coalesce(c.robots_status, 404) as status, coalesce(c.robots_txt, '') as text
      from probes p join crawls c on c.id = p.crawl_id where p.crawl_id = ${crawlId} and p.probed`)
  return kept && { ...kept.facts, robots: { status: kept.status, text: kept.text } }
}
