import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HelperScriptCredential } from '../../../src/config/document.ts'
import type { ClientContext } from '../../../src/contract/context.ts'
import type { ClientJob, ClientResult } from './client-program.ts'
import type { WindowsMachine } from './windows-machine.ts'

/** The client's stand-in: a program of the machine with its first arguments, such as a runtime and a bundle. */
type ClientProgram = readonly [program: string, ...args: string[]]

export interface ClientRun {
  readonly credential: Omit<HelperScriptCredential, 'kind'>
  readonly context?: ClientContext
  readonly env?: Readonly<Record<string, string>>
}

let jobs = 0

/** Runs the stand-in for the client as a Windows program, which runs these helpers at once. */
export async function runClient(
  machine: WindowsMachine,
  [program, ...args]: ClientProgram,
  runs: readonly ClientRun[],
  ownEnv: Readonly<Record<string, string>> = {},
): Promise<ClientResult[]> {
  const tasks = runs.map(({ credential, context = 'background', env = {} }) => ({
    credential: { kind: 'helper-script', timeoutSec: 30, ...credential } as const,
    context,
    env,
  }))
  const job: ClientJob = { tasks, ownEnv }
  const number = jobs++
  const files = [`job-${number}.json`, `result-${number}.json`] as const
  await writeFile(join(machine.directory, files[0]), JSON.stringify(job))
  const status = await machine.run(program, [...args, ...files.map(machine.pathOf)])
  if (status !== 0) throw new Error(`the client's stand-in failed with ${status}`)
  return JSON.parse(await readFile(join(machine.directory, files[1]), 'utf8'))
}
