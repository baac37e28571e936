import type { PageCheck } from './check.ts'

const json = (source: string) => `<script type="application/ld+json">${source}</script>`
const entity = (data: Record<string, unknown>) =>
  json(JSON.stringify({ '@context': 'https://schema.org', ...data }))
const article = entity({ '@type': 'Article', headline: 'Shoes' })

/** Types whose rich results Google has retired: 2023, 2025 and May 2026. */
const RETIRED = new Set([
  'ClaimReview',
  'FAQPage',
  'HowTo',
  'MathSolver',
  'OccupationAggregationByEmployer',
  'SpecialAnnouncement',
])
/** Types that make a page stand out among results. */
const RICH = new Set([
  'Article',
  'BlogPosting',
  'Course',
  'Dataset',
  'DiscussionForumPosting',
  'Event',
  'JobPosting',
  'LocalBusiness',
  'Movie',
  'NewsArticle',
  'Product',
  'ProductGroup',
  'Recipe',
  'Review',
  'SoftwareApplication',
  'VacationRental',
  'VideoObject',
])
/** Clicks from the start page. */
const DEEP = 2

export const structuredDataChecks: PageCheck[] = [
  {
    code: 'schema_missing',
    severity: 'minor',
    of: 'indexable',
    about: 'The page has no structured data.',
    fix: 'Describe the page in JSON-LD with the schema.org type that fits it.',
    finds: ({ facts: { schema } }) =>
      schema.types.length === 0 && schema.invalid === 0 && schema.untyped === 0,
    examples: {
      bad: ['<p>text</p>'],
      good: [
        article,
        '<div itemscope itemtype="https://schema.org/Product"></div>',
        '<div vocab="https://schema.org/" typeof="Person"></div>',
      ],
    },
  },
  {
    code: 'schema_invalid_json',
    severity: 'moderate',
    about: 'A block of structured data is not valid JSON.',
    fix: 'Correct the syntax: commas, quotation marks, brackets; the rich results test shows where.',
    finds: ({ facts }) => facts.schema.invalid > 0,
    examples: {
      bad: [json('{"@type": "Article",}'), json('')],
      good: [article, json('// <![CDATA[\n{"@context":"x","@type":"y"}\n// ]]>')],
    },
  },
  {
    code: 'schema_no_type',
    severity: 'minor',
    about: 'Structured data lacks its type or context.',
    fix: 'Give every top-level object `@context` and `@type`.',
    finds: ({ facts }) => facts.schema.untyped > 0,
    examples: {
      bad: [json('{"@context": "https://schema.org"}'), json('{"@type": "Article"}'), json('["text"]')],
      good: [article, json('{"@context": "https://schema.org", "@graph": [{"@type": "WebSite"}]}')],
    },
  },

  {
    code: 'schema_required_missing',
    severity: 'moderate',
    about: 'Structured data lacks properties that search engines require of its type.',
    fix: 'Add the required properties; Google’s documentation of the type and its rich results test name them.',
    finds: ({ facts }) => facts.schema.incomplete.length > 0,
    examples: {
      bad: [
        entity({ '@type': 'Article' }),
        entity({ '@type': 'Product', name: 'Shoe' }),
        entity({ '@type': 'Product', name: '', offers: { '@type': 'Offer', price: 1 } }),
        entity({ '@type': 'Article', headline: 'A', publisher: { '@type': 'Organization' } }),
        entity({ '@type': 'FAQPage', mainEntity: [{ '@type': 'Question', name: 'Why?' }] }),
        entity({
          '@type': 'BreadcrumbList',
          itemListElement: [
            { '@type': 'ListItem', name: 'No position', item: '/' },
            { '@type': 'ListItem', position: 2, name: 'Here' },
          ],
        }),
        entity({ '@type': 'Review', author: 'A', reviewRating: { '@type': 'Rating', ratingValue: 5 } }),
        entity({ '@graph': [{ '@type': 'VideoObject', name: 'V', thumbnailUrl: 'a' }] }),
        entity({ '@type': 'LocalBusiness', name: 'B' }),
        entity({ '@type': 'Event', name: 'E', startDate: '2026-01-01' }),
        entity({ '@type': 'Recipe', name: 'R' }),
        entity({ '@type': 'Organization', url: '/' }),
      ],
      good: [
        article,
        entity({ '@type': 'Product', name: 'Shoe', offers: { '@type': 'Offer', price: 0 } }),
        entity({
          '@type': 'Product',
          name: 'Shoe',
          review: { '@type': 'Review', author: 'A', reviewRating: { ratingValue: 5 } },
        }),
        entity({
          '@type': 'FAQPage',
          mainEntity: {
            '@type': 'Question',
            name: 'Why?',
            acceptedAnswer: { '@type': 'Answer', text: 'So.' },
          },
        }),
        entity({
          '@type': 'BreadcrumbList',
          itemListElement: [
            { '@type': 'ListItem', position: 1, item: { '@id': '/', name: 'Home' } },
            { '@type': 'ListItem', position: 2, name: 'Here' },
          ],
        }),
        entity({ '@type': 'Article', headline: 'A', publisher: { '@type': 'Organization', '@id': '#us' } }),
        entity({ '@type': 'Review', author: 'A', itemReviewed: 'B', reviewRating: { ratingValue: 5 } }),
        entity({ '@type': 'Article', headline: 'A', about: { '@type': 'Product', name: 'Mentioned' } }),
        entity({ '@type': 'Thing' }),
        '<div itemscope itemtype="https://schema.org/Product"></div>',
      ],
    },
  },
  {
    code: 'schema_deprecated_type',
    severity: 'minor',
    about: 'Structured data is of a type for which Google shows no rich results any more.',
    fix: 'Drop the markup unless something else reads it, and describe the page with a type that is shown.',
    finds: ({ facts }) => facts.schema.types.some((type) => RETIRED.has(type)),
    examples: {
      bad: [
        entity({ '@type': 'HowTo', name: 'Tie a shoe' }),
        entity({ '@type': 'SpecialAnnouncement', name: 'A' }),
        '<div itemscope itemtype="https://schema.org/FAQPage"></div>',
      ],
      good: [article, '<p>How to</p>'],
    },
  },
  {
    code: 'schema_noindex_conflict',
    severity: 'minor',
    about: 'The page has structured data for rich results and asks not to be indexed.',
    fix: 'Remove the noindex if the page is to be found; otherwise remove the markup.',
    finds: ({ facts, isNoindex }) => isNoindex && facts.schema.types.some((type) => RICH.has(type)),
    examples: {
      bad: [`<meta name=robots content=noindex>${article}`],
      good: [
        article,
        `<meta name=robots content=noindex>${entity({ '@type': 'WebPage' })}`,
        '<meta name=robots content=noindex>',
      ],
    },
  },
  {
    code: 'schema_not_linked',
    severity: 'minor',
    about: 'The page has several blocks of structured data, and none refers to another.',
    fix: 'Give the entities an @id and refer to it, or put them into one @graph.',
    finds: ({ facts }) => facts.schema.unlinked > 1,
    examples: {
      bad: [
        article + entity({ '@type': 'Organization', name: 'O' }),
        json('[{"@context":"x","@type":"Article"},{"@context":"x","@type":"Person"}]'),
      ],
      good: [
        article,
        entity({ '@graph': [{ '@type': 'Article' }, { '@type': 'Organization' }] }),
        entity({ '@type': 'Article', headline: 'A', publisher: { '@id': '#us' } }) +
          entity({ '@type': 'Organization', '@id': '#us', name: 'O' }),
      ],
    },
  },
  {
    code: 'breadcrumb_schema_missing',
    severity: 'minor',
    of: 'indexable',
    about: 'The page is two clicks or more from the start page and has no BreadcrumbList.',
    fix: 'Describe the way to the page with a BreadcrumbList in JSON-LD.',
    finds: ({ facts, visit: { depth } }) => depth >= DEEP && !facts.schema.types.includes('BreadcrumbList'),
    examples: {
      bad: [{ depth: 2, html: article }],
      good: [
        { depth: 1, html: article },
        { depth: 2, html: '<ol vocab="https://schema.org/" typeof="BreadcrumbList"></ol>' },
      ],
    },
  },
]
