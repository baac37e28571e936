import { hash } from 'node:crypto'

import type { Archive } from './archive.ts'
import { type Resource, settle } from './frontier.ts'
import { type About, manifest, signpost } from './manifest.ts'
import type { Mirror } from './mirror.ts'
import { relativePath } from './paths.ts'
import type { Reference } from './references.ts'
import { rewrite } from './rewrite.ts'

const INDEX = 'index.html'

/** Now that it is known what was saved: rewrites all links, and completes the archive. Returns its size in bytes. */
export async function assemble(
  mirror: Mirror,
  archive: Archive,
  about: About,
  signal: AbortSignal,
): Promise<number> {
  const { resources, start } = mirror.frontier
  const paths = new Set<string>()
  for await (const { key: resource, body, document } of mirror.spool.read()) {
    signal.throwIfAborted()
    const content = rewrite(body, document, (reference) => target(reference, resource, resources))
    resource.size = content.length
    resource.hash = hash('sha256', content, 'base64url')
    paths.add(resource.path!)
    await archive.add(resource.path!, content, resource.type!)
  }
  if (!paths.has(INDEX)) {
    const address = relativePath(INDEX, settle(start)!.path!)
    await archive.add(INDEX, signpost(address), 'text/html')
  }
  await archive.stream('manifest.json', manifest(about, resources.values()), 'application/json')
  return await archive.close()
}

function target({ url }: Reference, from: Resource, resources: ReadonlyMap<string, Resource>): string {
  const to = settle(resources.get(url))
  return to ? relativePath(from.path!, to.path!) : url
}
