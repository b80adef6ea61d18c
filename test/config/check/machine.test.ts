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

const both = { '/opt/h': 0o755, '/opt/aws': 0o755 }

test.each<[what: string, os: 'macos' | 'linux' | 'windows', modes: Record<string, number>, ...codes: string[]]>([
  ['nothing', 'macos', {}, 'command-missing command', 'cli-missing awsEnv.awsCliPath'],
  ['a valid helper', 'macos', both],
  ['a plain file', 'linux', { ...both, '/opt/h': 0o644 }, 'command-not-executable command'],
  ['a helper that others may write', 'linux', { ...both, '/opt/h': 0o775 }, 'command-writable command'],
  ['a helper on Windows', 'windows', { 'C:\\h.exe': 0o666, '/opt/aws': 0o666 }],
])('the machine is checked where there is %s', async (_what, os, modes, ...codes) => {
  expect(await examine(os, modes)).toEqual(codes.map(toFinding))
})

test('a helper in quarantine on macOS is named', async () => {
  expect(await examine('macos', both, ['com.apple.quarantine'])).toEqual([toFinding('command-quarantined command')])
})

/** Returns the finding of a code at a place of the credential. */
function toFinding(code: string): string {
  return `error ${code.replace(' ', ' inference.credential.')}`
}

async function examine(os: Parameters<typeof checkMachine>[1], ...given: Parameters<typeof machine>) {
  return summarize({ findings: await checkMachine(result, os, machine(...given)) })
}
