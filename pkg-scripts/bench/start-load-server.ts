import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What a server of the benchmark says of itself; all but the address is the gateway's. */
export interface Served {
  readonly url: string
  readonly key: string
  readonly session: string
  readonly workspace: string
}

/** What the web framework alone has to answer. */
export type Answers = readonly { readonly method: string; readonly path: string; readonly body: string }[]

/** Of a server, when it has let go what it does not need; and at its worst so far. */
export interface Memory {
  readonly heapBytes: number
  readonly residentBytes: number
  readonly peakBytes: number
}

export interface LoadServer extends Served, Disposable {
  measureMemory(): Promise<Memory>
}

/** Starts the gateway with that many resources in one session, or the web framework alone with the answers given. */
export async function startLoadServer(content: { resources: number } | { answers: Answers }): Promise<LoadServer> {
  const args = 'resources' in content ? ['gateway', String(content.resources)] : ['bare']
  const child = fork(join(import.meta.dirname, 'load-server.ts'), args, { execArgv: ['--expose-gc'] })
  const ended = once(child, 'exit').then(([status]) => {
    throw new Error(`the server under load ended with ${status}`)
  })
  ended.catch(() => {}) // told to whoever waits for it
  const receive = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  if ('answers' in content) child.send(content.answers)
  const served: Served = await receive()
  return {
    ...served,
    measureMemory: async () => {
      child.send('memory')
      return receive()
    },
    [Symbol.dispose]: () => void child.kill(),
  }
}
