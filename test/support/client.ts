import { waitFor } from './service.ts'

export type Reply<T> = {
  status: number
  headers: Headers
  text: string
  data: T
  meta: { page: number; per_page: number; total_results: number; total_pages: number }
  errors: { title: string; status: string }[]
}

export type Scan = {
  id: number
  name: string
  host: string
  status: 'crawling' | 'completed' | 'failed'
  score: number | null
  pages_found: number
  pages_processed: number
  errors_count: number
  warnings_count: number
  started_datetime: string | null
  finished_datetime: string | null
  datetime: string
  pending?: number
  failure?: string
}

export type PageRow = {
  id: number
  url: string
  status_code: number
  score: number | null
  title: string | null
  meta_description: string | null
  h1: string | null
  canonical: string | null
  is_indexable: boolean
  is_noindex: boolean
  words_count: number
  images_no_alt: number
  internal_links: number
  external_links: number
  schema_types: string | null
  issues: string[]
}

export type Issues = {
  by_severity: { major: number; moderate: number; minor: number }
  issues: { code: string; severity: 'major' | 'moderate' | 'minor'; pages: number }[]
}

export type Snapshot = Omit<Scan, 'id' | 'name' | 'host' | 'status'> & {
  status_2xx: number
  status_3xx: number
  status_4xx: number
  status_5xx: number
  duration_seconds: number
}

const CRAWL_MS = 110_000

/** A user of the service, over HTTP. */
export function clientOf(origin: string, key: string) {
  const api = async <T = unknown>(method: string, path: string, body?: object): Promise<Reply<T>> => {
    const answer = await fetch(`${origin}/api/seo${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    return { status: answer.status, headers: answer.headers, text, ...(isJson ? JSON.parse(text) : {}) }
  }
  const read = async <T>(path: string): Promise<T> => {
    const reply = await api<T>('GET', path)
    if (reply.status !== 200) throw new Error(`GET ${path} is ${reply.status}: ${reply.text}`)
    return reply.data
  }
  const scan = (id: number) => read<Scan>(`/spider/${id}`)
  const begin = async (body: object): Promise<number> => {
    const reply = await api<{ id: number; status: string }>('POST', '/spider', body)
    if (reply.status !== 201) throw new Error(`POST /spider is ${reply.status}: ${reply.text}`)
    return reply.data.id
  }
  const ended = (id: number, within = CRAWL_MS, every?: number): Promise<Scan> =>
    waitFor(
      async () => {
        const it = await scan(id)
        return it.status !== 'crawling' && it
      },
      { within, what: `the end of scan ${id}`, ...(every && { every }) },
    )

  return {
    api,
    read,
    scan,
    begin,
    ended,
    /** Starts a scan and waits for its end. */
    crawl: async (body: object) => ended(await begin(body)),
    async pages(id: number): Promise<PageRow[]> {
      const rows: PageRow[] = []
      for (let page = 1; ; page++) {
        const reply = await api<PageRow[]>('GET', `/spider/${id}/pages?per_page=100&page=${page}`)
        if (reply.status !== 200) throw new Error(`pages of ${id}: ${reply.status} ${reply.text}`)
        rows.push(...reply.data)
        if (page >= reply.meta.total_pages) return rows
      }
    },
    issues: (id: number) => read<Issues>(`/spider/${id}/issues`),
    history: (id: number) => read<Snapshot[]>(`/spider/${id}/history`),
  }
}

export type Client = ReturnType<typeof clientOf>
