import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { expect } from 'vitest'
import helper from '../../../helpers/command-token.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { fails, type Outcome, prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type TestHost, testHost } from '../../setup/test-host.ts'

export const program = 'command-token'

interface DeskCall {
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A home directory with programs in it, in whose process the helper runs. */
export interface CommandDesk {
  readonly home: string
  /** Writes a script into the folder `bin`, and gives its path. */
  write(name: string, script: string): Promise<string>
  createHost(call?: DeskCall): Promise<TestHost>
  run(call?: DeskCall): Promise<Outcome>
}

/** A part of every secret that a test invents, so that one search finds them all. */
export const canary = 'canary'

export async function startDesk(): Promise<CommandDesk> {
  const home = await temporaryDirectory()
  const bin = join(home, 'bin')
  const createHost = ({ argv = [], env = {} }: DeskCall = {}) => {
    const startedAt = Date.now()
    const clock = { now: Date.now, startedAt, elapsedMs: () => Date.now() - startedAt }
    const path = [bin, '/usr/bin', '/bin'].join(delimiter)
    return testHost({ argv, env: { HOME: home, PATH: path, ...env }, home, clock })
  }
  return {
    home,
    createHost,
    write: async (name, script) => {
      const path = join(bin, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, script.startsWith('#!') ? script : `#!/bin/sh\n${script}\n`)
      await chmod(path, 0o755)
      return path
    },
    run: async (call) => {
      const host = await createHost(call)
      const { status } = await runHelper(program, helper, host)
      expect(host.written.stderr).not.toContain(canary)
      return { status, ...host.written }
    },
  }
}

export const failure = (status: number, message: string, hint: string) => fails(program, status, message, hint)

/** Returns the output of a run that writes nothing to stderr. */
export const printed = (document: unknown) => prints(`${JSON.stringify(document)}\n`)

/** Words of a command as arguments of the helper. */
export const commandOf = (...words: string[]) => words.map((word) => `--command=${word}`)
