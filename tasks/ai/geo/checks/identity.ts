import { type Entity, standsForSite, texts } from '../entities.ts'
import type { GeoPage } from '../page.ts'
import type { GeoSite } from '../site.ts'
import { type GeoCheck, grade, overPages } from './check.ts'

/** Profiles elsewhere by which an entity is known for sure. */
const PROFILES = 2
const KEPT = 10
const ABOUT =
  /(^|[/\s-])(about([-\s]us)?|chi[-\s]siamo|azienda|la[-\s]nostra[-\s]storia|our[-\s](story|team|company)|company|who[-\s]we[-\s]are)([/\s.-]|$)/i
const CONTACT = /(^|[/\s-])(contact([-\s]us)?|contacts|contatti|contattaci|contatto)([/\s.-]|$)/i

const ownersOf = ({ pages }: GeoSite) => pages.flatMap(({ entities }) => entities.filter(standsForSite))

/** A name, an address, and something that tells the entity from others of that name. */
const completeness = (owner: Entity) =>
  [['name'], ['url'], ['logo', 'image', 'address', 'description', 'contactPoint', 'telephone']].filter(
    (names) =>
      names.some(
        (name) => owner.data[name] !== undefined && owner.data[name] !== null && owner.data[name] !== '',
      ),
  ).length / 3

const authorsOf = ({ entities, passages }: GeoPage) => [
  ...new Set([
    ...entities.flatMap((entity) => texts(entity, 'author')),
    ...entities
      .filter(({ types, as }) => types.includes('Person') && as === null)
      .flatMap((one) => texts(one, 'name')),
    ...passages.authors,
  ]),
]

/** The first link to a page of that kind, by its address or its text. */
function linkTo(kind: RegExp, { pages }: GeoSite): string | null {
  for (const { facts, url } of pages) {
    const found = facts.links.find(
      ({ to, text, source }) =>
        source === 'a' && to.host === url.host && (kind.test(to.pathname) || kind.test(text.trim())),
    )
    if (found) return found.url
  }
  return null
}

const json = (data: object) =>
  `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...data })}</script>`
const company = { '@type': 'Organization', name: 'Example', url: 'https://example.test/', logo: '/logo.png' }
const profiles = { sameAs: ['https://www.linkedin.com/company/example', 'https://www.wikidata.org/wiki/Q1'] }

/** Whether it is clear who speaks. */
export const identityChecks: GeoCheck[] = [
  {
    code: 'organization_named',
    area: 'identity',
    weight: 3,
    title: { it: 'I dati strutturati dicono di chi è il sito', en: 'Structured data say whose site it is' },
    fix: {
      it: 'Aggiungi un JSON-LD `Organization` (o `LocalBusiness`, o `Person` come `publisher`) con `name`, `url` e `logo`, `address` o `description`.',
      en: 'Add a JSON-LD `Organization` (or `LocalBusiness`, or a `Person` as `publisher`) with `name`, `url` and `logo`, `address` or `description`.',
    },
    judge(site) {
      const [best] = ownersOf(site).toSorted((a, b) => completeness(b) - completeness(a))
      const name = best ? (texts(best, 'name')[0] ?? null) : null
      const isMarked = site.pages.some(({ facts }) =>
        facts.schema.types.some((type) => /Organization|LocalBusiness/.test(type)),
      )
      return {
        share: best ? completeness(best) : isMarked ? 1 / 3 : 0,
        value: name,
        evidence: best ? best.types : [],
      }
    },
    examples: {
      pass: [
        json(company),
        json({ '@graph': [{ '@type': 'WebSite', publisher: company }] }),
        json({ '@type': 'WebSite', publisher: { ...company, '@type': 'Person' } }),
        { html: '<p>text', others: { '/about': json(company) } },
      ],
      warn: [
        json({ '@type': 'LocalBusiness', name: 'Example' }),
        '<div itemscope itemtype="https://schema.org/Organization">',
      ],
      fail: ['<p>text', json({ '@type': 'Article', author: { '@type': 'Person', name: 'A' } })],
    },
  },
  {
    code: 'same_as',
    area: 'identity',
    weight: 2,
    title: { it: 'Profili altrove confermano chi è', en: 'Profiles elsewhere confirm who it is' },
    fix: {
      it: 'Elenca in `sameAs` almeno due profili ufficiali: Wikidata, Wikipedia, LinkedIn, registri di settore.',
      en: 'List at least two official profiles in `sameAs`: Wikidata, Wikipedia, LinkedIn, registers of your field.',
    },
    judge(site) {
      const named = [
        ...new Set(site.pages.flatMap(({ entities }) => entities.flatMap((one) => texts(one, 'sameAs')))),
      ]
      const found = named.filter((address) => /^https?:$/.test(URL.parse(address)?.protocol ?? ''))
      return {
        share: grade(found.length, 0, PROFILES),
        value: found.length,
        evidence: found.slice(0, KEPT),
      }
    },
    examples: {
      pass: [json({ ...company, ...profiles })],
      warn: [json({ ...company, sameAs: profiles.sameAs[0] })],
      fail: [json(company), json({ ...company, sameAs: ['', 'linkedin'] })],
    },
  },
  {
    code: 'author_named',
    area: 'identity',
    weight: 3,
    title: { it: 'La pagina dice chi l’ha scritta', en: 'The page says who wrote it' },
    fix: {
      it: 'Firma la pagina: nome dell’autore nel testo, come `author` nei dati strutturati e con un link al suo profilo.',
      en: 'Sign the page: the author’s name in the text, as `author` in the structured data, and with a link to a profile.',
    },
    judge: overPages((page) => {
      const authors = authorsOf(page)
      return {
        share: authors.length > 0 ? 1 : 0,
        value: authors[0] ?? null,
        evidence: authors.slice(0, KEPT),
      }
    }, 'subjects'),
    examples: {
      pass: [
        json({ '@type': 'Article', author: { '@type': 'Person', name: 'Ada Rossi' } }),
        '<meta name=author content="Ada Rossi">',
        '<p>by <a rel=author href="/ada">Ada Rossi</a>',
        '<span class="post-author">Ada Rossi</span>',
      ],
      warn: [{ html: '<p>text', others: { '/a': '<meta name=author content="Ada">' } }],
      fail: ['<p>text', '<meta name=author content="">', '<p class=authority>text'],
    },
  },
  {
    code: 'about_contact',
    area: 'identity',
    weight: 2,
    title: {
      it: 'Il sito ha le pagine «chi siamo» e «contatti»',
      en: 'The site has an about and a contact page',
    },
    fix: {
      it: 'Collega da ogni pagina «Chi siamo» e «Contatti», con nome, indirizzo e recapiti.',
      en: 'Link “About us” and “Contact” from every page, with name, address and ways to get in touch.',
    },
    judge(site) {
      const [about, contact] = [linkTo(ABOUT, site), linkTo(CONTACT, site)]
      return { share: (Number(about !== null) + Number(contact !== null)) / 2, value: { about, contact } }
    },
    examples: {
      pass: [
        '<a href="/chi-siamo">Noi</a><a href="/contatti/">Scrivici</a>',
        '<a href="/p1">About us</a><a href="/p2">Contact</a>',
      ],
      warn: ['<a href="/about.html">us</a>'],
      fail: ['<p>text', '<a href="https://other.test/about">x</a><a href="/roundabout">y</a>'],
    },
  },
]
