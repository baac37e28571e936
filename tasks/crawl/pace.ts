import { config } from '../../config.ts'
import type { Crawl } from '../../sql/crawls.ts'

/** Between the starts of two pages, milliseconds (spec, `POST /spider`: speed). */
const DELAY = { safe: 4000, fast: 2000, turbo: 1000 }
/** What is no page is asked for so many times as often: it is many small things, mostly files. */
const RESOURCES = 20
/** Between the starts of two requests to one host outside the site, milliseconds. */
const ELSEWHERE = 100

export const pageDelay = (speed: Crawl['speed']) => DELAY[speed] * config.SPIDER_DELAY_SCALE
export const resourceDelay = (speed: Crawl['speed']) => pageDelay(speed) / RESOURCES
export const elsewhereDelay = () => ELSEWHERE * config.SPIDER_DELAY_SCALE
