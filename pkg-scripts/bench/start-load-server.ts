import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The first message of a server of the benchmark. Only the gateway's has more than an address. */
export interface ServerReport {
  readonly url: string
  readonly key: string
  readonly session: string
  readonly workspace: string
}

/** The answers of the web framework alone. */
export type Answers = readonly { readonly method: string; readonly path: string; readonly body: string }[]

/** The memory of a server after a garbage collection, and its maximum so far. */
export interface Memory {
  readonly heapBytes: number
  readonly residentBytes: number
  readonly peakBytes: number
}

/** A server under load, in its own process, which ends when it is disposed. */
export interface LoadServer extends ServerReport, Disposable {
  measureMemory(): Promise<Memory>
}

/**
 * Starts the gateway with this number of resources in one session, or the web framework alone with these answers.
 * @param heapMib The process ends if it needs more memory for old objects.
 */
export async function startLoadServer(
  content: { resources: number } | { answers: Answers },
  heapMib?: number,
): Promise<LoadServer> {
  const args = 'resources' in content ? ['gateway', String(content.resources)] : ['bare']
  const child = fork(join(import.meta.dirname, 'load-server.ts'), args, {
    execArgv: ['--expose-gc', ...(heapMib === undefined ? [] : [`--max-old-space-size=${heapMib}`])],
  })
  const ended = once(child, 'exit').then(([status]) => {
    throw new Error(`the server under load ended with ${status}`)
  })
  ended.catch(() => {}) // `receive` reports it
  const receive = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  if ('answers' in content) child.send(content.answers)
  const report: ServerReport = await receive()
  return {
    ...report,
    measureMemory: async () => {
      child.send('memory')
      return receive()
    },
    [Symbol.dispose]: () => void child.kill(),
  }
}
