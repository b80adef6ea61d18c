import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { listHelpers, root, toBundlePath } from '../../../../pkg-scripts/tree.ts'
import { keychainChildCommand } from '../../../../src/sources/keychain/system/child-command.ts'

/** @param input `undefined` for one that does not end. */
const run = async (path: string, input: string | undefined) => {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [path, keychainChildCommand], {
    env: {},
    extendEnv: false,
    ...(input === undefined ? { stdin: 'pipe' as const } : { input }),
    timeout: 60_000,
    reject: false,
    stripFinalNewline: false,
  })
  return { status: exitCode, stdout, stderr }
}

test('a person who types the command by which a program asks the keychain is told what it is', async () => {
  const item = { service: 'gatepass', account: 'default', label: 'Gatepass' }
  const request = JSON.stringify({ operation: 'read', item, prompt: 'never', limitSec: 5 })
  const [first = ''] = listHelpers()
  const programs = [first, 'gatepass', 'run-helper']
  // Whatever comes in: this system has no keychain that is asked so.
  const outcomes = await Promise.all([
    run(toBundlePath(first), undefined),
    run(toBundlePath('gatepass'), request),
    run(join(root, 'pkg-scripts/run/helper.ts'), 'get'),
  ])
  expect(outcomes).toEqual(
    programs.map((program) => ({
      status: 2,
      stdout: '',
      stderr: `${program}: keychain-child is not for people: ${program} starts itself with it to ask the system's keychain (on linux it is asked in another way)
${program}: hint: see what there is: ${program} --help\n`,
    })),
  )
})
