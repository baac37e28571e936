import { randomUUID } from 'node:crypto'

import { z } from 'zod'

import { Problem } from '../../problem.ts'
import * as keywords from '../../sql/keywords.ts'
import * as refreshes from '../../sql/refreshes.ts'
import { ask, canSource } from '../../tasks/jobs.ts'
import { created, endpoint, item } from '../endpoint.ts'
import { text } from '../fields.ts'
import { oneProject } from './projects.ts'

const KEYWORD_LENGTH = 255

const Added = z.object({
  added: z.int(),
  skipped: z.int().describe('Already tracked, or twice in what was sent.'),
  removed: z.int().describe('Deleted by `replace`.'),
})

const keyword = text(KEYWORD_LENGTH)

export const projectKeywordEndpoints = [
  endpoint({
    method: 'post',
    path: '/projects/:id/keywords',
    summary: 'Add keywords to a project',
    description: 'Spellings that differ in case alone are the same keyword.',
    params: oneProject.params,
    body: z
      .object({
        keywords: z.array(keyword).nullish(),
        keyword: z.string().nullish().describe('One keyword a line, where `keywords` has none.'),
        mode: z
          .unknown()
          .optional()
          .meta({ override: { type: 'string' }, description: '`replace` deletes all others.' }),
      })
      .meta({ example: { keywords: ['scarpe rosse', 'scarpe blu'] } }),
    reply: created(Added, { added: 2, skipped: 0, removed: 0 }),
    problems: ['not_found', 'invalid'],
    find: oneProject.find,
    async handle({ id, user, body }) {
      const listed = (body.keywords ?? []).filter(Boolean)
      const split = (body.keyword ?? '').split(/\r\n|\r|\n/).map((line) => keyword.parse(line))
      const given = listed.length > 0 ? listed : split.filter(Boolean)
      if (given.length === 0) throw new Problem('invalid', { field: 'keywords' })
      const done = await keywords.add(user.id, id, given, { replace: body.mode === 'replace' })
      if (!done) throw new Problem('not_found')
      return done
    },
  }),
  endpoint({
    method: 'post',
    path: '/projects/:id/refresh',
    summary: 'Refresh the positions of a project',
    description: 'Answers when all its keywords have been looked up. Once in ten minutes.',
    params: oneProject.params,
    reply: item(z.object({ refreshed: z.int() }), { refreshed: 12 }),
    problems: ['not_found', 'cooldown', 'no_datasource', 'refresh_failed'],
    find: oneProject.find,
    async handle({ id, user }) {
      if (await refreshes.isCooling(id)) throw new Problem('cooldown')
      if (!canSource('rank')) throw new Problem('no_datasource')
      const claim = randomUUID()
      if (!(await refreshes.claim(id, claim))) throw new Problem('cooldown')
      try {
        return await ask(
          'rankings.refresh',
          { project: id, user: user.id, claim },
          { within: refreshes.COOLDOWN_SECONDS },
        )
      } catch (error) {
        if (error instanceof Problem && error.key === 'refresh_failed') throw error
        // Nobody could say how far it came.
        const far = await refreshes.breakOff(id, claim)
        if (!(error instanceof Problem) || error.key !== 'upstream_failed') throw error
        throw new Problem('refresh_failed', far, { cause: error })
      }
    },
  }),
]
