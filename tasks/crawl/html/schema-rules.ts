type Entity = Record<string, unknown>
type Rule = {
  /** Properties that must be there; of those parted by `|` one. */
  needs: string[]
  /** Judged inside another entity too, which may bring what is missing of its neighbours. */
  nested?: boolean
  also?: (entity: Entity, isNested: boolean) => boolean
}

const article = { needs: ['headline|name'] }
const business = { needs: ['name', 'address'] }
const event = { needs: ['name', 'startDate', 'location'] }
const app = { needs: ['name', 'offers', 'aggregateRating|review'] }

/** What Google's rich results require of an entity of each type; of an article, which has no such list, its headline. */
const rules: Record<string, Rule> = {
  Article: article,
  NewsArticle: article,
  BlogPosting: article,
  TechArticle: article,
  Product: { needs: ['name', 'offers|review|aggregateRating'] },
  Offer: { needs: ['price|priceSpecification'], nested: true },
  AggregateOffer: { needs: ['lowPrice', 'priceCurrency'], nested: true },
  AggregateRating: { needs: ['ratingValue', 'ratingCount|reviewCount'], nested: true },
  Review: {
    needs: ['author', 'reviewRating'],
    nested: true,
    also: (review, isNested) =>
      (isNested || has(review, 'itemReviewed')) && hasRating(review['reviewRating']),
  },
  FAQPage: { needs: ['mainEntity'], also: ({ mainEntity }) => list(mainEntity).every(isAnswered) },
  BreadcrumbList: {
    needs: ['itemListElement'],
    nested: true,
    also: ({ itemListElement }) => list(itemListElement).every(isCrumb),
  },
  Organization: { needs: ['name'], nested: true },
  Corporation: { needs: ['name'], nested: true },
  LocalBusiness: business,
  Restaurant: business,
  Store: business,
  Hotel: business,
  Event: event,
  BusinessEvent: event,
  EducationEvent: event,
  Festival: event,
  MusicEvent: event,
  SportsEvent: event,
  TheaterEvent: event,
  Recipe: { needs: ['name', 'image'] },
  VideoObject: { needs: ['name', 'thumbnailUrl', 'uploadDate'], nested: true },
  JobPosting: {
    needs: [
      'title',
      'description',
      'datePosted',
      'hiringOrganization',
      'jobLocation|applicantLocationRequirements',
    ],
  },
  Course: { needs: ['name', 'description'] },
  Dataset: { needs: ['name', 'description'] },
  DiscussionForumPosting: { needs: ['author', 'datePublished', 'text|image|video|sharedContent|headline'] },
  Movie: { needs: ['name', 'image'] },
  ProfilePage: { needs: ['mainEntity'] },
  QAPage: { needs: ['mainEntity'] },
  SoftwareApplication: app,
  MobileApplication: app,
  WebApplication: app,
}

/** Whether an entity lacks what search engines require of its type; mere references lack nothing. */
export function isIncomplete(type: string, entity: Entity, isNested: boolean): boolean {
  const rule = Object.hasOwn(rules, type) ? rules[type] : undefined
  if (!rule || (isNested && !rule.nested) || isReference(entity)) return false
  if (!rule.needs.every((need) => need.split('|').some((name) => has(entity, name)))) return true
  return rule.also?.(entity, isNested) === false
}

/** An entity that says no more than which one it is. */
export const isReference = (entity: Entity) =>
  '@id' in entity && Object.keys(entity).every((name) => name.startsWith('@'))

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])
const isEntity = (value: unknown): value is Entity =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function has(entity: Entity, name: string): boolean {
  const value = entity[name]
  if (typeof value === 'string') return value.trim() !== ''
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}

const hasRating = (rating: unknown) =>
  list(rating).some((one) => isEntity(one) && (has(one, 'ratingValue') || isReference(one)))

const isAnswered = (question: unknown) =>
  isEntity(question) &&
  (isReference(question) ||
    (has(question, 'name') &&
      list(question['acceptedAnswer']).some((answer) => isEntity(answer) && has(answer, 'text'))))

/** The last crumb may leave out where it leads. */
const isCrumb = (crumb: unknown, at: number, crumbs: readonly unknown[]) => {
  if (!isEntity(crumb)) return false
  const item = crumb['item']
  const isNamed = has(crumb, 'name') || (isEntity(item) && has(item, 'name'))
  return has(crumb, 'position') && isNamed && (has(crumb, 'item') || at === crumbs.length - 1)
}
