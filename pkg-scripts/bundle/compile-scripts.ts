// Run by code-cache.ts: compiles `0.js`, `1.js` … of a directory, with all their functions, into `0.cache` ….

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

const [, , directory = '', count] = process.argv
for (let index = 0; index < Number(count); index += 1) {
  const code = readFileSync(join(directory, `${index}.js`), 'latin1')
  // Each function is compiled now, so that none is compiled at its first call (docs/executables.md, Speed, has the savings). A flag that
  // stays set would be part of the cache, and a run without it would reject the cache.
  setFlagsFromString('--no-lazy')
  const script = new Script(code)
  setFlagsFromString('--lazy')
  writeFileSync(join(directory, `${index}.cache`), script.createCachedData())
}
