// Small sites, each on a port of its own; told how many and how large, answers with their origins.
import { argv } from 'node:process'

import { startGraph, star } from '../../fakes/graph.ts'

const [sites, pages] = argv.slice(2).map(Number) as [number, number]
const servers = await Promise.all(Array.from({ length: sites }, () => startGraph(star(pages))))
process.once('disconnect', () => process.exit(0))
process.send?.(servers.map(({ origin }) => origin))
