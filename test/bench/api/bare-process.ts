// The least that answers a record from PostgreSQL over HTTP: Express, a pool of the same size, one statement by the key.
import type { AddressInfo } from 'node:net'
import { argv } from 'node:process'

import express from 'express'
import { Pool } from 'pg'

const [url, size] = argv.slice(2)
const pool = new Pool({ connectionString: url, max: Number(size) })
const app = express()
app.get('/keywords/:id', (request, response, next) => {
  pool
    .query(
      `select id, project_id, keyword, search_volume, last_position, last_url, target_url, tags, notes, checked_at, created_at
         from keywords where id = $1`,
      [request.params.id],
    )
    .then(({ rows: [keyword] }) => response.json({ data: keyword }), next)
})
const server = app.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit(0))
