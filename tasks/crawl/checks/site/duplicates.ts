import { sql } from '../../../../sql/pool.ts'
import type { SiteCheck } from '../check.ts'

type Column = 'title' | 'meta_description' | 'h1'

/** Indexable pages of one language that share a text, whatever its case. */
const sharing = (column: Column) => (crawlId: number) =>
  sql.fragment`
  select id from (
    select id, count(*) over (partition by lower(${sql.identifier([column])}), lower(coalesce(lang, ''))) as pages
      from pages where crawl_id = ${crawlId} and is_indexable and ${sql.identifier([column])} is not null
  ) shared where pages > 1`

export const duplicateChecks: SiteCheck[] = [
  {
    code: 'title_duplicate',
    severity: 'moderate',
    about: 'Several pages of one language have the same title.',
    fix: 'Give each page a title of its own, or merge the pages.',
    finds: sharing('title'),
    examples: {
      bad: [
        {
          pages: { '/': { title: 'Shoes' }, '/b': { title: 'SHOES' }, '/c': { title: 'Hats' } },
          found: ['/', '/b'],
        },
      ],
      good: [
        { pages: { '/': { title: 'Shoes', lang: 'it' }, '/b': { title: 'Shoes', lang: 'en' } } },
        { pages: { '/': { title: 'Shoes' }, '/b': { title: 'Shoes', noindex: true } } },
        { pages: { '/': { title: 'Shoes' }, '/b': { title: 'Shoes', canonical: '/' }, '/c': {}, '/d': {} } },
      ],
    },
  },
  {
    code: 'meta_desc_duplicate',
    severity: 'moderate',
    about: 'Several pages of one language have the same meta description.',
    fix: 'Give each page a description of its own.',
    finds: sharing('meta_description'),
    examples: {
      bad: [{ pages: { '/': { description: 'All' }, '/b': { description: 'All' } }, found: ['/', '/b'] }],
      good: [{ pages: { '/': { description: 'All' }, '/b': { description: 'Some' }, '/c': {}, '/d': {} } }],
    },
  },
  {
    code: 'h1_duplicate',
    severity: 'minor',
    about: 'Several pages of one language have the same first heading.',
    fix: 'Give each page an h1 of its own.',
    finds: sharing('h1'),
    examples: {
      bad: [{ pages: { '/': { h1: 'Hi' }, '/b': { h1: 'Hi' }, '/c': { h1: 'Ho' } }, found: ['/', '/b'] }],
      good: [{ pages: { '/': { h1: 'Hi' }, '/b': { h1: 'Ho' } } }],
    },
  },
  {
    code: 'content_duplicate',
    severity: 'moderate',
    about: 'Several pages have the same main text, and none names the other as canonical.',
    fix: 'Name one of the pages as canonical in the others, or redirect them to it.',
    finds: (crawlId) => sql.fragment`
      select id from (
        select id, count(*) over (partition by content_key) as pages
          from pages where crawl_id = ${crawlId} and is_indexable and content_key is not null
      ) shared where pages > 1`,
    examples: {
      bad: [{ pages: { '/': { text: '1' }, '/b': { text: '2' }, '/c': { text: '2' } }, found: ['/b', '/c'] }],
      good: [
        {
          pages: {
            '/': { text: '1' },
            '/b': { text: '2' },
            '/c': { text: '2', canonical: '/b' },
            '/d': {},
            '/e': {},
          },
        },
      ],
    },
  },
]
