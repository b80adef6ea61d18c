// Folder: `npm run smoke`: tries what was built on the machine that it runs on.

import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { tellFailures } from '../tell-failures.ts'
import { root } from '../tree.ts'

// Tries what was built on the machine that it runs on, or on another system in a directory of this one:
// `npm run smoke -- [--release DIRECTORY | --installed DIRECTORY] [--require STEP]… [--on GUEST]…`.
tellFailures('smoke')
const { values } = parseArgs({
  options: {
    release: { type: 'string', default: join(root, 'dist', 'release') },
    installed: { type: 'string' },
    require: { type: 'string', multiple: true, default: [] },
    on: { type: 'string', multiple: true },
  },
})
const { installed, on, require: required } = values
const release = resolve(values.release)
if (on === undefined) {
  const { runHere } = await import('./run-here.ts')
  const built = installed === undefined ? { release } : { installed: resolve(installed) }
  if (!(await runHere(built, required))) process.exitCode = 1
} else {
  // The code that makes such a system is loaded only here, because all the rest also runs inside of it.
  const { runOnGuest } = await import('./guests/run-on-guest.ts')
  for (const guest of on) if (!(await runOnGuest(guest, release, required))) process.exitCode = 1
}
