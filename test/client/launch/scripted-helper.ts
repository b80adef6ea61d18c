import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HelperScriptCredential } from '../../../src/config/document.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** What one run of the helper does; what is left out is not done. */
export interface Step {
  readonly stdout?: string
  readonly stderr?: string
  readonly status?: number
  readonly hangs?: true
}

export interface ScriptedHelper {
  readonly credential: Pick<HelperScriptCredential, 'kind' | 'command' | 'args'>
  /** Why it was run so far, in order. */
  contexts(): Promise<string[]>
}

/** A real helper that takes one step a run and notes its context; beyond its steps, run N prints `token-N`. */
export async function writeScriptedHelper(...steps: readonly Step[]): Promise<ScriptedHelper> {
  const directory = await temporaryDirectory()
  const script = join(directory, 'helper.cjs')
  const log = join(directory, 'runs.log')
  await writeFile(log, '')
  await writeFile(script, renderScript(steps, log))
  return {
    credential: { kind: 'helper-script', command: process.execPath, args: [script] },
    contexts: async () => (await readFile(log, 'utf8')).split('\n').slice(0, -1),
  }
}

function renderScript(steps: readonly Step[], log: string): string {
  return `
const { appendFileSync, readFileSync } = require('node:fs')
const log = ${JSON.stringify(log)}
appendFileSync(log, process.env.VENDOR_HELPER_CONTEXT + '\\n')
const run = readFileSync(log, 'utf8').split('\\n').length - 1
const { stdout = '', stderr = '', status = 0, hangs } = ${JSON.stringify(steps)}[run - 1] ?? { stdout: 'token-' + run }
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = status
if (hangs) setInterval(() => {}, 1000)
`
}
