import { readFileSync, writeFileSync } from 'node:fs'
import { type HelperRun, runCredentialHelper } from '../../../src/client/launch/run-credential-helper.ts'
import type { HelperScriptCredential } from '../../../src/config/document.ts'
import type { ClientContext } from '../../../src/contract/context.ts'

/** One run of a helper. */
export interface ClientTask {
  readonly credential: HelperScriptCredential
  readonly context: ClientContext
  /** Changes to the helper's environment. */
  readonly env: Readonly<Record<string, string>>
}

/** What the client is told to do, in a file, because Wine gives no stdin. */
export interface ClientJob {
  /** All at once. */
  readonly tasks: readonly ClientTask[]
  /** Changes to the client's own environment. */
  readonly ownEnv: Readonly<Record<string, string>>
}

/** How a run went; the token is what a test wants to see. */
export interface ClientResult {
  readonly run: HelperRun
  readonly token?: string
}

/** The client's stand-in as a Windows program: runs helpers and writes down what it saw of each. */
export async function start(): Promise<void> {
  const [jobPath = '', resultPath = ''] = process.argv.slice(2)
  const { tasks, ownEnv }: ClientJob = JSON.parse(readFileSync(jobPath, 'utf8'))
  Object.assign(process.env, ownEnv)
  writeFileSync(resultPath, JSON.stringify(await Promise.all(tasks.map(runTask))))
}

async function runTask({ credential, context, env }: ClientTask): Promise<ClientResult> {
  const surroundings = { env: { ...process.env, ...env }, platform: process.platform }
  const run = await runCredentialHelper(credential, context, surroundings)
  return run.ok ? { run, token: run.credential.token.reveal() } : { run }
}
