import { sql } from '../../../../sql/pool.ts'
import { SIGNATURE } from '../../simhash.ts'
import type { SiteCheck } from '../check.ts'

/** Jaccard similarity of shingles from which texts are nearly the same. */
const ALIKE = 0.85
/** Of the 24 hashes of each text, these are rarest on the site; that another has none of them is beyond five deviations. */
const RAREST = 10
/** Texts that share a hash are held against so many neighbours in the order of their simhashes. */
const NEIGHBOURS = 4

const words = (count: number, prefix = 'word') => Array.from({ length: count }, (_, i) => `${prefix}${i}`)
const text = words(300).join(' ')
const edited = (edits: number) => words(300).map((word, i) => (i % 30 === 0 && i / 30 < edits ? 'new' : word))
const shared = (part: string) => [...words(150), ...words(150, part)].join(' ')

/**
 * Texts that are nearly the same, found without comparing all with all. They share one of the hashes that are rarest on
 * the site (prefix filter; Chaudhuri, Ganti and Kaushik 2006), so what a template puts on every page brings no two of
 * them together; in groups that are large all the same, simhashes bring neighbours together. Bands of the simhash alone
 * would find one in four of the texts that differ in 3 of 300 words. Signatures then tell the Jaccard similarity.
 */
export const nearDuplicateChecks: SiteCheck[] = [
  {
    code: 'content_near_duplicate',
    severity: 'moderate',
    about: 'The main text is nearly the same as that of another page.',
    fix: 'Merge the pages, make their texts differ, or name one as canonical.',
    finds: (crawlId) => sql.fragment`
      with body as materialized (
        select distinct on (content_key) id, content_key, simhash, sample, signature
          from pages where crawl_id = ${crawlId} and is_indexable and signature is not null
         order by content_key, id
      ), element as materialized (
        select id, unnest(sample) as hash from body
      ), frequent as materialized (
        select hash, count(*) as texts from element group by hash having count(*) > 1
      ), common as (
        select id, hash, texts, count(*) over (partition by id) as hashes from element join frequent using (hash)
      ), ranked as (
        select id, hash, simhash, cardinality(sample) - hashes as alone,
               row_number() over (partition by id order by texts, hash) as place
          from common join body using (id)
      ), neighbour as (
        select id as one, unnest(array_agg(id) over (
                 partition by hash order by simhash << (hash & 63), id
                 rows between 1 following and ${NEIGHBOURS} following)) as other
          from ranked where alone + place <= ${RAREST}
      ), met as materialized (
        select distinct one, other from neighbour
      ), alike as materialized (
        select a.content_key as one, b.content_key as other
          from met join body a on a.id = met.one join body b on b.id = met.other
         where bit_count(a.signature # b.signature) <= ${Math.floor(((1 - ALIKE) / 2) * SIGNATURE)}
      )
      select id from pages
       where crawl_id = ${crawlId} and is_indexable and signature is not null
         and content_key in (select one from alike union select other from alike)`,
    examples: {
      bad: [
        {
          pages: {
            '/': { words: text },
            '/b': { words: edited(1).join(' ') },
            '/c': { words: edited(5).join(' ') },
            '/d': { words: words(300, 'other').join(' ') },
          },
          found: ['/', '/b', '/c'],
        },
      ],
      good: [
        { pages: { '/': { words: text }, '/b': { words: text } } },
        {
          pages: { '/': { words: shared('a') }, '/b': { words: shared('b') }, '/c': { words: shared('c') } },
        },
        { pages: { '/': { words: text }, '/b': { words: edited(2).join(' '), canonical: '/' }, '/c': {} } },
        { pages: { '/': { words: 'one two three four' }, '/b': { words: 'one two three five' } } },
      ],
    },
  },
]
