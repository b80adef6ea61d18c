import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { toBundlePath } from '../../../../pkg-scripts/tree.ts'
import type { Outcome } from '../../../setup/run-program.ts'

/** The built command, while it serves the page of a document. */
interface StartedEditor {
  readonly address: string
  readonly child: ChildProcess
  /** How it ended, without the address on its standard output. */
  readonly ended: Promise<Outcome>
}

/** Starts `gatepass config edit --no-browser`; it is ended with the test. @param vendorFile Has the names of the client. */
export async function startEditor(path: string, vendorFile?: string): Promise<StartedEditor> {
  const names = vendorFile === undefined ? [] : ['--vendor', vendorFile]
  const argv = [toBundlePath('gatepass'), ...names, 'config', 'edit', '--no-browser', path]
  const child = spawn(process.execPath, argv, { env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const stderr = text(child.stderr)
  const [first] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(async ([status]) => {
      throw new Error(`the command ended with ${status}: ${await stderr}`)
    }),
  ])
  const rest = text(child.stdout)
  const ended = once(child, 'exit').then(async ([status, signal]): Promise<Outcome> => {
    return { status: status ?? signal, stdout: await rest, stderr: await stderr }
  })
  return { address: String(first).trim(), child, ended }
}
