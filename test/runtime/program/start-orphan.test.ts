import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startOrphan } from '../../../src/runtime/program/start-orphan.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** Starts a script in place of the run's own program, and returns what the run learns of it. */
async function startAs(script: string | undefined, argv: readonly string[] = []) {
  const program = join(await temporaryDirectory(), 'a program')
  if (script !== undefined) await writeFile(program, `#!/bin/sh\n${script}\n`)
  if (script !== undefined) await chmod(program, 0o755)
  const ownCommand = { program, args: ['helper'], argv0: program }
  return startOrphan({ argv, platform: 'linux', ownCommand }, { PATH: '/usr/bin:/bin' })
}

test('the process between gets its step and the arguments of the run', async () => {
  const script = '[ "$GATEPASS_RENEWAL_STEP $*" = "relay helper renewal --client-id a b" ] && echo 4711'
  expect(await startAs(script, ['--client-id', 'a b'])).toBe(4711)
})

test.each([
  ['is not there', undefined],
  ['fails', 'exit 1'],
  ['is of another version, and says something else', 'echo usage: try --help'],
])('no process can be started where the program %s', async (_, script) => {
  expect(await startAs(script)).toBeUndefined()
})
