// Writes the length of each page into `docs/README.md`; a test fails while a count is far off.

import { readFileSync, writeFileSync } from 'node:fs'
import { renderWordCounts } from './word-counts.ts'

const path = new URL('../../docs/README.md', import.meta.url)
writeFileSync(path, renderWordCounts(readFileSync(path, 'utf8')))
