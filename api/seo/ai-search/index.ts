import { competitor } from './competitor.ts'
import { engine } from './engine.ts'
import { geo } from './geo.ts'
import { prompts } from './prompts.ts'
import { visibility } from './visibility.ts'

export const aiSearch = [...geo, ...visibility, ...engine, ...competitor, ...prompts]
