import { readFileSync, writeFileSync } from 'node:fs'
import { renderWordCounts } from './word-counts.ts'

/** Writes into `docs/README.md` how long each page is; a test fails while a count is far from true. */

const path = new URL('../../docs/README.md', import.meta.url)
writeFileSync(path, renderWordCounts(readFileSync(path, 'utf8')))
