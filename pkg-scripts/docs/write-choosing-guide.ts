// Writes the generated part of `docs/choosing.md` after its introduction; a test fails while it is outdated.

import { readFileSync, writeFileSync } from 'node:fs'
import { importHelper, listHelpers } from '../tree.ts'
import { renderChoosingPage } from './choosing-page.ts'

const path = new URL('../../docs/choosing.md', import.meta.url)
const page = readFileSync(path, 'utf8')
const helpers = await Promise.all(listHelpers().map(async (name) => [name, await importHelper(name)] as const))
const introduction = page.slice(0, page.indexOf('## What the gateway takes'))
writeFileSync(path, introduction + renderChoosingPage(new Map(helpers)))
