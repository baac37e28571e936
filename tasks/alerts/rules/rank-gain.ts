import {
  detailsOf,
  moved,
  movement,
  nameOf,
  RANK_COOLDOWN_HOURS,
  type RankMove,
  subjectOf,
  topEntered,
} from './rank-move.ts'
import type { Rule } from './rule.ts'

/** A keyword rose by many places, or into the first 100. */
export const rankGain: Rule<RankMove> = {
  type: 'rank_gain',
  subject: subjectOf,
  cooldownHours: RANK_COOLDOWN_HOURS,
  judge(move) {
    const moved = movement(move)
    return moved === 'gain' ? 'info' : moved === 'drop' ? 'well' : null
  },
  message: {
    it(move) {
      const { from, to } = move
      if (from === null) return `${nameOf(move)} è entrata fra le prime 100, alla posizione ${to}`
      const top = topEntered(move)
      return `${nameOf(move)} è salita dalla posizione ${from} alla ${to}${top ? `, fra le prime ${top}` : ''}`
    },
    en(move) {
      const { from, to } = move
      if (from === null) return `${nameOf(move)} entered the top 100 at position ${to}`
      const top = topEntered(move)
      return `${nameOf(move)} rose from position ${from} to ${to}${top ? `, into the top ${top}` : ''}`
    },
  },
  details: detailsOf,
  examples: {
    info: [
      moved(10, 7),
      moved(4, 1),
      moved(11, 6),
      moved(30, 25),
      moved(31, 21),
      moved(100, 90),
      moved(null, 100),
      moved(null, 1),
    ],
    well: [moved(1, 4), moved(50, null)],
    // Into the first 3 or 10, but not from far.
    nothing: [
      moved(5, 3),
      moved(11, 7),
      moved(12, 9),
      moved(30, 26),
      moved(31, 22),
      moved(100, 91),
      moved(null, null),
      moved(4, 6),
    ],
  },
}
