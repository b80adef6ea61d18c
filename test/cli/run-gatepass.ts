import { symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { execa } from 'execa'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { runBundle } from '../setup/run-bundle.ts'
import type { Outcome } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** Runs the built `gatepass` command without a terminal. */
export function runGatepass(...argv: string[]): Promise<Outcome> {
  return runBundle('gatepass', { argv })
}

/** Runs it with standard input from a pipe. */
export async function pipeToGatepass(input: string | Uint8Array, ...argv: string[]): Promise<Outcome> {
  const options = { env: {}, extendEnv: false, reject: false, stripFinalNewline: false } as const
  const { exitCode, stdout, stderr } = await execa(process.execPath, [toBundlePath('gatepass'), ...argv], {
    ...options,
    input,
  })
  return { status: exitCode ?? 'killed', stdout, stderr }
}

/**
 * Runs a program of the system, such as a shell, in a directory where the built command is on the path.
 * The program must be there: a test that needs it fails without it.
 */
export async function runOnPath(
  program: string,
  args: readonly string[],
  { cwd, input = '', env = {} }: { cwd: string; input?: string; env?: Readonly<Record<string, string>> },
): Promise<Outcome> {
  const bin = await temporaryDirectory()
  await symlink(toBundlePath('gatepass'), join(bin, 'gatepass'))
  const path = [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter)
  const { exitCode, stdout, stderr, message } = await execa(program, args, {
    cwd,
    input,
    env: { PATH: path, HOME: cwd, TERM: 'xterm', LC_ALL: 'C.UTF-8', ...env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    timeout: 60_000,
  })
  if (exitCode === undefined) throw new Error(message)
  return { status: exitCode, stdout, stderr }
}

/** Writes a file of the test's own. */
export async function writeTemporary(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await temporaryDirectory(), name)
  await writeFile(path, content)
  return path
}

/** Returns a document that works, with other members for its credential. */
export function documentWith(credential: Record<string, unknown> = {}): string {
  return JSON.stringify({
    $schemaVersion: 2,
    inference: {
      provider: 'gateway',
      baseUrl: 'https://gateway.example.com',
      credential: { kind: 'helper-script', command: '/opt/gatepass/aws-bedrock-token', ...credential },
    },
  })
}
