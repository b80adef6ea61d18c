// Folder: `npm run smoke`: tests the built programs on the machine on which it runs.

import { join, resolve } from 'node:path'
import { HelperError } from '../../src/runtime/failure.ts'
import { parseOptions } from '../parse-options.ts'
import { tellFailures } from '../tell-failures.ts'
import { root } from '../tree.ts'

tellFailures('smoke')
const { values } = parseOptions({
  command: 'npm run smoke --',
  summary: 'tries what was built on the machine that it runs on, or on another system in a directory of this one',
  options: {
    release: {
      type: 'string',
      default: join(root, 'dist', 'release'),
      value: 'DIRECTORY',
      summary: 'where the archives lie; absent, dist/release',
    },
    next: { type: 'string', value: 'DIRECTORY', summary: 'upgrades to the archives there, and goes back' },
    installed: { type: 'string', value: 'DIRECTORY', summary: 'tries what a package has installed there' },
    'field-report': { type: 'string', value: 'FILE', summary: 'writes what was found on this machine, to send back' },
    require: {
      type: 'string',
      multiple: true,
      default: [],
      value: 'STEP',
      summary: 'fails where this step is skipped',
    },
    on: { type: 'string', multiple: true, value: 'GUEST', summary: 'debian-11, arm64 or windows' },
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
  // Loaded here, because the rest also runs inside such a system, without this code.
  const { runOnGuest } = await import('./guests/run-on-guest.ts')
  for (const guest of on) if (!(await runOnGuest(guest, release, required))) process.exitCode = 1
}

/** Throws where both options are set: a report and another build are of this machine's own installation. */
function refuseTogether(options: Readonly<Record<string, unknown>>): void {
  if (Object.values(options).includes(undefined)) return
  const [one, other] = Object.keys(options)
  throw new HelperError('usage', `--${one} and --${other} cannot be used together`, `remove --${other} or --${one}`)
}
