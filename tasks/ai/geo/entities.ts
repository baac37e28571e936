import { bare } from '../../crawl/html/schema.ts'

const DEPTH = 32
/** Entities kept of one page. */
const ENTITIES = 500

/** One entity of a page's structured data; `as` is the property that it is the value of, null at the top. */
export type Entity = { types: string[]; as: string | null; data: Record<string, unknown> }

/** Everything that the JSON-LD of a page describes, nested or not; what is no JSON describes nothing. */
export function readEntities(sources: readonly string[]): Entity[] {
  const found: Entity[] = []
  const walk = (data: unknown, as: string | null, depth: number) => {
    if (depth > DEPTH || found.length >= ENTITIES || typeof data !== 'object' || data === null) return
    if (Array.isArray(data)) {
      for (const item of data) walk(item, as, depth + 1)
      return
    }
    const entity = data as Record<string, unknown>
    const types = [entity['@type']].flat().filter((type) => typeof type === 'string')
    if (types.length > 0) found.push({ types: types.map(bareName), as, data: entity })
    for (const [name, value] of Object.entries(entity))
      walk(value, name === '@graph' ? null : name, depth + 1)
  }
  for (const source of sources) {
    try {
      walk(JSON.parse(bare(source)), null, 0)
    } catch {
      // The check of the markup itself tells of it.
    }
  }
  return found
}

/** The texts that a property of an entity has, directly or as the names of other entities. */
export function texts({ data }: Entity, property: string): string[] {
  return [data[property]].flat().flatMap((value) => {
    const text = isObject(value) ? (value['name'] ?? value['url'] ?? value['@id']) : value
    return typeof text === 'string' && text.trim() !== ''
      ? [text.trim().slice(0, 500).replaceAll('\0', '').toWellFormed()]
      : []
  })
}

/** Whether an entity is an organisation, or the person whom the site is about. */
export function standsForSite({ types, as }: Entity): boolean {
  if (types.some((type) => ORGANISATION.test(type))) return as === null || OWNER.has(as)
  return types.includes('Person') && (as === 'publisher' || as === 'mainEntity')
}

const ORGANISATION =
  /(Organization|Business|Corporation|Store|Shop|Restaurant|Hotel|Hostel|Dentist|Physician|Attorney|Agency|Library|School|University|Museum|Airline|NGO|Project|ProfessionalService)$/
const OWNER = new Set([
  'publisher',
  'mainEntity',
  'about',
  'sourceOrganization',
  'creator',
  'copyrightHolder',
])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const bareName = (type: string) =>
  type.replace(/^(https?:\/\/([\w-]+\.)*schema\.org\/|schema:)/i, '').slice(0, 100)
