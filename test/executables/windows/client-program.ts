import { readFileSync, writeFileSync } from 'node:fs'
import { type HelperRun, runCredentialHelper } from '../../../src/client/run-credential-helper.ts'
import type { HelperScriptCredential } from '../../../src/config/document.ts'

/** What the client is told to do, in a file, because Wine gives no stdin. */
export interface ClientJob {
  readonly credential: HelperScriptCredential
  readonly env: Readonly<Record<string, string>>
  /** Changes to the client's own environment. */
  readonly ownEnv?: Readonly<Record<string, string>>
}

/** How it went; the token is what a test wants to see. */
export interface ClientResult {
  readonly run: HelperRun
  readonly token?: string
}

/** The client's stand-in as a Windows program: runs one helper and writes down what it saw. */
export async function start(): Promise<void> {
  const [jobPath = '', resultPath = ''] = process.argv.slice(2)
  const { credential, env, ownEnv }: ClientJob = JSON.parse(readFileSync(jobPath, 'utf8'))
  Object.assign(process.env, ownEnv)
  const surroundings = { env: { ...process.env, ...env }, platform: process.platform }
  const run = await runCredentialHelper(credential, 'background', surroundings)
  const result: ClientResult = run.ok ? { run, token: run.credential.token.reveal() } : { run }
  writeFileSync(resultPath, JSON.stringify(result))
}
