import {
  detailsOf,
  moved,
  movement,
  nameOf,
  RANK_COOLDOWN_HOURS,
  type RankMove,
  subjectOf,
  topLeft,
} from './rank-move.ts'
import type { Rule } from './rule.ts'

const FIRST_PAGE = 10

/** A keyword fell by many places, or out of the first 100. */
export const rankDrop: Rule<RankMove> = {
  type: 'rank_drop',
  subject: subjectOf,
  cooldownHours: RANK_COOLDOWN_HOURS,
  judge(move) {
    const moved = movement(move)
    if (moved === 'gain') return 'well'
    if (moved === null) return null
    return (move.from ?? Infinity) <= FIRST_PAGE && move.to === null ? 'critical' : 'warning'
  },
  message: {
    it(move) {
      const { from, to } = move
      if (to === null) return `${nameOf(move)} è uscita dalle prime 100: era alla posizione ${from}`
      const top = topLeft(move)
      return `${nameOf(move)} è scesa dalla posizione ${from} alla ${to}${top ? `, fuori dalle prime ${top}` : ''}`
    },
    en(move) {
      const { from, to } = move
      if (to === null) return `${nameOf(move)} left the top 100: it was at position ${from}`
      const top = topLeft(move)
      return `${nameOf(move)} fell from position ${from} to ${to}${top ? `, out of the top ${top}` : ''}`
    },
  },
  details: detailsOf,
  examples: {
    critical: [moved(1, null), moved(10, null)],
    warning: [
      moved(1, 4),
      moved(10, 13),
      moved(11, 16),
      moved(30, 35),
      moved(31, 41),
      moved(90, 100),
      moved(11, null),
      moved(100, null),
    ],
    well: [moved(13, 8), moved(null, 100)],
    // Out of the first 3 or 10, but not far.
    nothing: [
      moved(1, 1),
      moved(1, 3),
      moved(3, 5),
      moved(10, 12),
      moved(11, 15),
      moved(30, 34),
      moved(31, 40),
      moved(91, 100),
      moved(null, null),
      moved(12, 8),
    ],
  },
}
