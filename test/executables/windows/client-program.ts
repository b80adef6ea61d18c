import { readFileSync, writeFileSync } from 'node:fs'
import { type HelperRun, runCredentialHelper } from '../../../src/client/launch/run-credential-helper.ts'
import type { HelperScriptCredential } from '../../../src/config/document.ts'
import type { ClientContext } from '../../../src/contract/context.ts'

/** One run of a helper. */
interface ClientTask {
  readonly credential: HelperScriptCredential
  readonly context: ClientContext
  /** Changes to the helper's environment. */
  readonly env: Readonly<Record<string, string>>
}

/** The client's job, which comes in a file because Wine has no stdin here. */
export interface ClientJob {
  /** Runs that are started at once. */
  readonly tasks: readonly ClientTask[]
  /** Changes to the client's own environment. */
  readonly ownEnv: Readonly<Record<string, string>>
}

/** The result of a run, with the token that the result itself hides. */
export interface ClientResult {
  readonly run: HelperRun
  readonly token?: string
}

/** Acts as the client, as a Windows program: runs helpers and writes their results to a file. */
export async function start(): Promise<void> {
  const [jobPath = '', resultPath = ''] = process.argv.slice(2)
  const { tasks, ownEnv }: ClientJob = JSON.parse(readFileSync(jobPath, 'utf8'))
  Object.assign(process.env, ownEnv)
  writeFileSync(resultPath, JSON.stringify(await Promise.all(tasks.map(runTask))))
}

async function runTask({ credential, context, env }: ClientTask): Promise<ClientResult> {
  const host = { env: { ...process.env, ...env }, platform: process.platform }
  const run = await runCredentialHelper(credential, context, host)
  return run.ok ? { run, token: run.credential.token.reveal() } : { run }
}
