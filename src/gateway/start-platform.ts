import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HelperError } from '../runtime/failure.ts'
import type { Fault } from './http/faults.ts'
import { createHttpServer } from './http/http-server.ts'
import { createPlatformApp, type PlatformParts } from './platform-app.ts'
import { defaultDocument, type ServedDocument } from './served-document.ts'
import type { State } from './store/state.ts'

export interface PlatformSettings {
  /** Stays open: whoever opened it closes it. */
  readonly state: State
  /** 0, the default, takes any that is free. */
  readonly port?: number
  readonly faults?: readonly Fault[]
  /** Absent, the served document names the gateway itself. */
  readonly document?: ServedDocument['document']
  /** Fetches the keys of issuers; absent, as the runtime does, which is enough on loopback. */
  readonly fetch?: PlatformParts['fetch']
  readonly onRecord?: PlatformParts['onRecord']
}

export interface Platform {
  readonly url: string
  close(): Promise<void>
}

/** Starts the stand-in for the platform. It listens on loopback, and nowhere else can be asked for. */
export async function startPlatform(settings: PlatformSettings): Promise<Platform> {
  const { state, port = 0, faults = [], fetch = globalThis.fetch, onRecord = () => {} } = settings
  const served = () => ({ document: settings.document ?? defaultDocument(url), lifeSec: documentLifeSec })
  const app = createPlatformApp({ state, faults, served, fetch, onRecord })
  const server = createHttpServer(app.fetch, () => state.newId('request'))
  await listen(server, port)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => closeServer(server) }
}

const documentLifeSec = 3600

async function listen(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', ({ code }: NodeJS.ErrnoException) =>
    reject(
      new HelperError('unavailable', `port ${port} cannot be used (${code})`, 'name another with --port, or 0 for any'),
    ),
  )
  server.listen(port, '127.0.0.1', resolve)
  await promise
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}
