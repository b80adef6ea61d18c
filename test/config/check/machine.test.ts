import { expect, test } from 'vitest'
import { checkMachine, type MachineFiles } from '../../../src/config/check/machine.ts'
import { read, summarize } from '../read/read-text.ts'

const result = read({
  inference: {
    credential: {
      kind: 'helper-script',
      command: '/opt/h',
      commandWindows: 'C:\\h.exe',
      awsEnv: { awsCliPath: '/opt/aws' },
    },
  },
})

/** Returns a machine with these files, by their modes. */
function machine(modes: Readonly<Record<string, number>>, attributes: readonly string[] = []): MachineFiles {
  return {
    findStatus: async (path) => (modes[path] === undefined ? undefined : { mode: modes[path], isFile: () => true }),
    listAttributes: async () => attributes,
  }
}

test.each([
  [
    'nothing',
    'macos',
    {},
    [],
    ['error command-missing inference.credential.command', 'error cli-missing inference.credential.awsEnv.awsCliPath'],
  ],
  ['a valid helper', 'macos', { '/opt/h': 0o755, '/opt/aws': 0o755 }, [], []],
  [
    'a plain file',
    'linux',
    { '/opt/h': 0o644, '/opt/aws': 0o755 },
    [],
    ['error command-not-executable inference.credential.command'],
  ],
  [
    'a helper that others may write',
    'linux',
    { '/opt/h': 0o775, '/opt/aws': 0o755 },
    [],
    ['error command-writable inference.credential.command'],
  ],
  [
    'a helper in quarantine',
    'macos',
    { '/opt/h': 0o755, '/opt/aws': 0o755 },
    ['com.apple.quarantine'],
    ['error command-quarantined inference.credential.command'],
  ],
  ['a helper on Windows', 'windows', { 'C:\\h.exe': 0o666, '/opt/aws': 0o666 }, [], []],
] as const)('the machine is checked where there is %s', async (_what, os, modes, attributes, expected) => {
  expect(summarize({ findings: await checkMachine(result, os, machine(modes, attributes)) })).toEqual(expected)
})
