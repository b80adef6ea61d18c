import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { importHelper, listHelpers, toBundlePath } from '../../../pkg-scripts/tree.ts'
import { checkHelper } from '../../../src/client/check/check-helper.ts'
import { requireArguments } from '../../../src/helper/options/arguments.ts'
import { commonOptions } from '../../../src/helper/options/every-helper-options.ts'
import { type CountableSource, startCountableSource } from '../../cache/countable-source.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { isCounted } from '../../setup/tested-helpers.ts'
import { outcomeOf } from './gallery.ts'

/** How long the tokens of a {@link CountableSource} live if it does not state it, and how long a client keeps them. */
const usual = { lifeSec: 3600, ttlSec: 3600 }

test.each(listHelpers().filter(isCounted))('the built %s keeps every rule', async (name) => {
  const source = await startCountableSource(name)
  await writeSettings(name, source)
  // A temporary directory of its own, because other programs leave files in the system's.
  const env = { HOME: source.home, PATH: '/usr/bin:/bin', TMPDIR: await temporaryDirectory(), ...source.env }
  const command = await writeLauncher(source.home, name)
  const { lifeSec: tokenLifeSec, ttlSec } = source.times ?? usual
  const report = await checkHelper({
    command,
    env,
    platform: process.platform,
    timeoutSec: 8,
    ttlSec,
    tokenLifeSec,
    keepEnv: Object.keys(source.env), // the source's, as an administrator sets them for every program
  })
  expect(outcomeOf(report), JSON.stringify(report.verdicts, undefined, 1)).toEqual({ fails: [], warns: [] })
})

/** Writes the arguments of a run in the user's file, because a client may pass none. */
async function writeSettings(name: string, { home, argv }: CountableSource): Promise<void> {
  const { options } = await importHelper(name)
  const settings = await requireArguments(name, { ...commonOptions, ...options }, argv())
  const path = join(home, '.config', 'gatepass', `${name}.json`)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, JSON.stringify(Object.fromEntries(settings)), { mode: 0o600 })
}

/** Gives a helper what an installation gives it: its name, and a runtime that needs no PATH. */
async function writeLauncher(home: string, name: string): Promise<string> {
  const path = join(home, name)
  await writeFile(path, `#!/bin/sh\nexec '${process.execPath}' '${toBundlePath(name)}' "$@"\n`, { mode: 0o755 })
  return path
}
