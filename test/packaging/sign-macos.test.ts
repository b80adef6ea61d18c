import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** Runs the script with a `codesign` that prints its arguments. */
async function sign(env: Record<string, string>) {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, 'bin'))
  await writeFile(join(directory, 'bin', 'codesign'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 })
  return runExecutable('/bin/sh', {
    argv: [join(root, 'packaging/sign-macos.sh'), '/opt/a b/program'],
    env: { PATH: `${join(directory, 'bin')}:/usr/bin:/bin`, ...env },
  })
}

const lines = (stamp: string, identity: string) => `--force
--options
runtime
${stamp}
--identifier
com.example.tools.program
--entitlements
${join(root, 'packaging/entitlements.plist')}
--sign
${identity}
/opt/a b/program
`

test.each([
  ['ad hoc', {}, lines('--timestamp=none', '-')],
  ['by an identity', { SIGN_MACOS_IDENTITY: 'Developer ID: A B' }, lines('--timestamp', 'Developer ID: A B')],
])('a signature %s names the identifier that rules of macOS have', async (_, env, stdout) => {
  const outcome = await sign({ SIGN_IDENTIFIER: 'com.example.tools.program', ...env })
  expect(outcome).toEqual({ status: 0, stdout, stderr: '' })
})

test('without an identifier nothing is signed', async () => {
  expect(await sign({})).toEqual({
    status: 2,
    stdout: '',
    stderr: `${join(root, 'packaging/sign-macos.sh')}: 7: SIGN_IDENTIFIER: is not set; rules of macOS name an executable by it\n`,
  })
})
