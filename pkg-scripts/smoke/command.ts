// Folder: `npm run smoke`: tries what was built on the machine that it runs on.

import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { HelperError } from '../../src/runtime/failure.ts'
import { tellFailures } from '../tell-failures.ts'
import { root } from '../tree.ts'

// Tries what was built on the machine that it runs on, or on another system in a directory of this one:
// `npm run smoke -- [--release DIRECTORY [--next DIRECTORY] | --installed DIRECTORY] [--require STEP]… [--field-report FILE] [--on GUEST]…`.
tellFailures('smoke')
const { values } = parseArgs({
  options: {
    release: { type: 'string', default: join(root, 'dist', 'release') },
    next: { type: 'string' },
    installed: { type: 'string' },
    'field-report': { type: 'string' },
    require: { type: 'string', multiple: true, default: [] },
    on: { type: 'string', multiple: true },
  },
})
const { installed, next, on, require: required, 'field-report': fieldReport } = values
refuseTogether({ installed, next })
refuseTogether({ on, 'field-report': fieldReport })
refuseTogether({ on, next })
const release = resolve(values.release)
if (on === undefined) {
  const { runHere } = await import('./run-here.ts')
  const built = installed === undefined ? { release, other: next && resolve(next) } : { installed: resolve(installed) }
  if (!(await runHere(built, { required, fieldReport }))) process.exitCode = 1
} else {
  // The code that makes such a system is loaded only here, because all the rest also runs inside of it.
  const { runOnGuest } = await import('./guests/run-on-guest.ts')
  for (const guest of on) if (!(await runOnGuest(guest, release, required))) process.exitCode = 1
}

/** Throws where both options are set: a report and another build are of this machine's own installation. */
function refuseTogether(options: Readonly<Record<string, unknown>>): void {
  if (Object.values(options).includes(undefined)) return
  const [one, other] = Object.keys(options)
  throw new HelperError('usage', `--${one} and --${other} cannot be used together`, `leave out --${other} or --${one}`)
}
