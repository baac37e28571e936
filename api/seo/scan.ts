import { z } from 'zod'

import * as scans from '../../sql/scans.ts'
import { datetime, id } from '../fields.ts'

const times = { started_datetime: datetime.nullable(), finished_datetime: datetime.nullable(), datetime }

/** A scan as every answer shows it. */
export const Scan = scans.Scan.extend(times).meta({ id: 'Scan' })

export const scanExample = {
  id: 12,
  name: 'Blog',
  host: 'example.com',
  status: 'completed',
  score: 87,
  pages_found: 42,
  pages_processed: 42,
  errors_count: 3,
  warnings_count: 20,
  started_datetime: '2026-07-01 09:30:00',
  finished_datetime: '2026-07-01 09:32:10',
  datetime: '2026-07-01 09:29:59',
} as const

/** What every endpoint below one scan begins with; absent or somebody else's is 404. */
export const oneScan = {
  params: z.object({ id }),
  find: ({ id, user }: { id: number; user: { id: number } }) => scans.find(user.id, id),
}
