import { sql } from '../../../../sql/pool.ts'
import type { SiteCheck, SitePage } from '../check.ts'
import { startPage } from './relations.ts'

/** Pages that make a norm, and the share of them that has to keep it. */
const PAGES = 10
const AGREEMENT = 0.7
/** Pages of one template that make a norm of length, and how far the others may be from its median. */
const TEMPLATE = 8
const BAND = 0.5
/** A thin page has less than this share of the median, and is so many deviations below it. */
const THIN = 0.5
const DEVIATIONS = 3
/** From median absolute to standard deviation; and the least of it, as a share of the median. */
const SIGMA = 1.4826
const LEAST_SIGMA = 0.1

const SEPARATORS = String.raw`\s*(?:::|\||»|>>)\s*|\s+[-–—·>]\s+|:\s+`
const SEPARATOR = String.raw`(::|\||»|>>|[-–—·>]|:)`

const each = (count: number, make: (i: number) => [string, SitePage]): Record<string, SitePage> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => make(i)))
const own = (address: (i: number) => string) => each(10, (i) => [address(i), { canonical: address(i) }])
const named = (title: (i: number) => string, from = 0) =>
  each(10, (i) => [`/${i % 2 ? 'blog' : 'shop'}/${from + i}`, { title: title(i) }])
const long = (count: number, words: (i: number) => number, folder = '/docs') =>
  each(count, (i) => [`${folder}/${i}`, { words: 'word '.repeat(words(i)).trim() }])

/** Pages that break what most pages of their own site keep. */
export const normChecks: SiteCheck[] = [
  {
    code: 'canonical_form_drift',
    severity: 'minor',
    about:
      'The canonical address is written in another form (https, www, slash at the end, capitals, index file) than most.',
    fix: 'Write all canonical addresses in one form, and redirect the others to it.',
    // Sites use slashes by section and level, so these are held apart. Capitals are only ever the exception.
    finds: (crawlId) => sql.fragment`
      with written as materialized (
        select p.id, split_part(p.canonical, ':', 1) as scheme, split_part(p.canonical, '/', 3) as host,
               regexp_replace(regexp_replace(p.canonical, '^https?://[^/]*|[?#].*$', '', 'g'), '%[0-9A-Fa-f]{2}', '', 'g') as path
          from pages p join crawls c on c.id = p.crawl_id
         where p.crawl_id = ${crawlId} and p.status_code between 200 and 299 and p.canonical is not null
           and regexp_replace(split_part(p.canonical, '/', 3), '^www[.]', '') = regexp_replace(c.scope_host, '^www[.]', '')
      ), vote as materialized (
        select id, 'scheme' as axis, '' as section, scheme = 'https' as form from written
        union all select id, 'www', '', host like 'www.%' from written
        union all select id, 'capitals', '', path <> lower(path) from written
        union all select id, 'index', '', path ~* '/(index|default)[.](html?|php|aspx?|jsp)$' from written
        union all
        select id, 'slash', cardinality(parts) || case when cardinality(parts) > 2 then parts[2] else '' end, path like '%/'
          from (select *, string_to_array(rtrim(path, '/'), '/') as parts from written) split
         where path <> '/' and path !~ '[.][^/]*$'
      ), tally as (
        select axis, section, form, count(*) as votes, sum(count(*)) over (partition by axis, section) as pages
          from vote group by axis, section, form
      )
      select distinct id from vote join tally using (axis, section, form)
       where pages >= ${PAGES} and votes <= (1 - ${AGREEMENT}::numeric) * pages and (axis <> 'capitals' or form)`,
    examples: {
      bad: [
        { pages: { ...own((i) => `/a/${i}/`), '/a/x': { canonical: '/a/x' } }, found: ['/a/x'] },
        {
          pages: { ...own((i) => `/a/${i}`), '/a/x': { canonical: 'https://www.example.test/a/x' } },
          found: ['/a/x'],
        },
        {
          pages: { ...own((i) => `/a/${i}`), '/a/x': { canonical: 'http://example.test/a/x' } },
          found: ['/a/x'],
        },
        { pages: { ...own((i) => `/a/${i}`), '/a/X': { canonical: '/a/X' } }, found: ['/a/X'] },
        { pages: { ...own((i) => `/a/${i}/`), '/b/': { canonical: '/b/index.html' } }, found: ['/b/'] },
      ],
      good: [
        { pages: { ...own((i) => `/a/${i}`), ...own((i) => `/b/${i}/`), '/a/': { canonical: '/a/' } } },
        { pages: { ...own((i) => (i % 2 ? `/a/${i}` : `/a/${i}/`)) } },
        {
          pages: {
            ...own((i) => `/a/${i}`),
            '/a/x': { canonical: 'https://other.test/a/x/' },
            '/a/%C3%A8': { canonical: '/a/%C3%A8' },
          },
        },
        {
          pages: {
            '/a/1': { canonical: '/a/1' },
            '/a/2': { canonical: '/a/2' },
            '/a/3/': { canonical: '/a/3/' },
          },
        },
      ],
    },
  },
  {
    code: 'content_thin_vs_norm',
    severity: 'minor',
    about: 'The main text is far shorter than on other pages of its kind.',
    fix: 'Complete the page as its siblings are, or merge it into one of them.',
    // Pages of one kind have the same structured data and lie in the same folder, numbers apart.
    finds: (crawlId) => sql.fragment`
      with sized as materialized (
        select id, main_words as words,
               coalesce(schema_types, '') || ' '
               || regexp_replace(regexp_replace(split_part(url, '?', 1), '[^/]*$', ''), '[0-9]+', '#', 'g') as template
          from pages where crawl_id = ${crawlId} and is_indexable
      ), norm as (
        select template, percentile_cont(0.5) within group (order by words) as median
          from sized group by template having count(*) >= ${TEMPLATE}
      ), spread as (
        select template, median, percentile_cont(0.5) within group (order by abs(words - median)) as deviation,
               avg((abs(words - median) <= ${BAND}::float8 * median)::int) as agreement
          from sized join norm using (template) group by template, median
      )
      select id from sized join spread using (template)
       where agreement >= ${AGREEMENT}::numeric and words < ${THIN}::float8 * median
         and words < median - ${DEVIATIONS}::float8 * greatest(${SIGMA}::float8 * deviation, ${LEAST_SIGMA}::float8 * median)`,
    examples: {
      bad: [
        {
          pages: { ...long(8, (i) => 900 + 20 * i), '/docs/thin': { words: 'word '.repeat(300).trim() } },
          found: ['/docs/thin'],
        },
      ],
      good: [
        { pages: { ...long(8, (i) => 900 + 20 * i), '/docs/x': { words: 'word '.repeat(600).trim() } } },
        { pages: { ...long(8, () => 900), '/short': { words: 'word '.repeat(300).trim() } } },
        { pages: { ...long(6, () => 900), '/docs/thin': { words: 'word '.repeat(300).trim() } } },
        { pages: long(12, (i) => 100 + 200 * i) },
      ],
    },
  },
  {
    code: 'title_pattern_outlier',
    severity: 'minor',
    about:
      'The title breaks the pattern of the site’s titles: the brand is missing, at the other end, or set apart differently.',
    fix: 'Build all titles from one template.',
    // What stands in one section only is the name of the section. The start page has its own title everywhere.
    finds: (crawlId) => sql.fragment`
      with titled as materialized (
        select id, lower(title) as title, regexp_split_to_array(lower(title), ${SEPARATORS}) as parts,
               substring(url from '^https?://[^/]*/([^/?]+)/[^?]') as section, url ~ '^https?://[^/]*/([?]|$)' as is_root
          from pages where crawl_id = ${crawlId} and is_indexable and title is not null
      ), brand as materialized (
        select name, is_suffix from (
          select parts[1] as name, false as is_suffix, section from titled where cardinality(parts) > 1
          union all
          select parts[cardinality(parts)], true, section from titled where cardinality(parts) > 1
        ) candidate
         where length(name) > 1
         group by name, is_suffix
        having count(*) >= (select greatest(${PAGES}::int, ${AGREEMENT}::numeric * count(*)) from titled)
           and count(distinct coalesce(section, '/')) >= (select least(2, count(distinct coalesce(section, '/'))) from titled)
         order by count(*) desc, is_suffix desc, name limit 1
      ), judged as materialized (
        select t.id, t.title, t.is_root, b.name,
               case when b.is_suffix then right(t.title, length(b.name)) = b.name else left(t.title, length(b.name)) = b.name end as holds,
               case when b.is_suffix then left(t.title, length(b.name)) = b.name else right(t.title, length(b.name)) = b.name end as turned,
               case when t.title = b.name then null
                    when b.is_suffix then substring(left(t.title, -length(b.name)) from ${`${SEPARATOR}\\s*$`})
                    else substring(substr(t.title, length(b.name) + 1) from ${`^\\s*${SEPARATOR}`}) end as separator
          from titled t cross join brand b
      ), usual as (
        select separator, count(*) as pages, sum(count(*)) over () as all_pages
          from judged where holds and separator is not null group by separator
      )
      select id from judged
       where not is_root and id is distinct from (${startPage(crawlId)})
         and (strpos(title, name) = 0 or title = name or (turned and not holds)
              or (holds and separator in (select separator from usual
                                           where all_pages >= ${PAGES} and pages <= (1 - ${AGREEMENT}::numeric) * all_pages)))`,
    examples: {
      bad: [
        {
          pages: {
            ...named((i) => `Page ${i} | Acme`),
            '/shop/x': { title: 'Page without' },
            '/shop/y': { title: 'Acme | Page turned' },
            '/blog/z': { title: 'ACME' },
            '/blog/s': { title: 'Page - Acme' },
          },
          found: ['/shop/x', '/shop/y', '/blog/z', '/blog/s'],
        },
        { pages: { ...named((i) => `Acme: page ${i}`), '/shop/x': { title: 'Page' } }, found: ['/shop/x'] },
      ],
      good: [
        {
          pages: {
            '/': { title: 'Welcome' },
            ...named((i) => `Page ${i} | Acme`),
            '/shop/x': { title: 'About Acme itself' },
            '/shop/y': { title: 'Lone', noindex: true },
          },
        },
        { pages: { ...named((i) => `Page ${i} | Acme`), ...named((i) => `Other ${i}`, 20) } },
        {
          pages: {
            '/': {},
            ...each(12, (i) => [`/blog/${i}`, { title: `Post ${i} | Blog` }]),
            '/a/b': { title: 'Contact' },
          },
        },
      ],
    },
  },
]
