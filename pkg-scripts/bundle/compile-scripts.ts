import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

// Run by code-cache.ts: compiles `0.js`, `1.js` … of a directory, with every function in them, into `0.cache` ….
const [, , directory = '', count] = process.argv
for (let index = 0; index < Number(count); index += 1) {
  const code = readFileSync(join(directory, `${index}.js`), 'latin1')
  // Each function is compiled, so that none is when it is first called: docs/executables.md, Speed, says what that saves.
  // A flag that stayed would be part of the cache, and a run without it would refuse that.
  setFlagsFromString('--no-lazy')
  const script = new Script(code)
  setFlagsFromString('--lazy')
  writeFileSync(join(directory, `${index}.cache`), script.createCachedData())
}
