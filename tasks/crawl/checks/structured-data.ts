import type { PageCheck } from './check.ts'

const json = (source: string) => `<script type="application/ld+json">${source}</script>`
const article = json('{"@context": "https://schema.org", "@type": "Article"}')

export const structuredDataChecks: PageCheck[] = [
  {
    code: 'schema_missing',
    severity: 'minor',
    of: 'indexable',
    about: 'The page has no structured data.',
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
    finds: ({ facts }) => facts.schema.untyped > 0,
    examples: {
      bad: [json('{"@context": "https://schema.org"}'), json('{"@type": "Article"}'), json('["text"]')],
      good: [article, json('{"@context": "https://schema.org", "@graph": [{"@type": "WebSite"}]}')],
    },
  },
]
