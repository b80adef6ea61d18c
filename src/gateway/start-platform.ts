import type { Fault } from './http/faults.ts'
import { createHttpServer } from './http/http-server.ts'
import { closeServer, startListening } from './http/loopback-server.ts'
import { createPlatformApp, type PlatformParts } from './platform-app.ts'
import { createDefaultDocument, type ServedDocument } from './served-document.ts'
import type { State } from './store/state.ts'

/** How the stand-in for the platform behaves. */
export interface PlatformSettings {
  /** It stays open when the platform is closed. */
  readonly state: State
  /** 0, the default, takes any free port. */
  readonly port?: number
  readonly faults?: readonly Fault[]
  /** Beta features that are accepted besides those of the specification. */
  readonly allowedBetas?: readonly string[]
  /** The served document; if absent, it names this gateway. */
  readonly document?: ServedDocument['document']
  /** Fetches the keys of issuers; if absent, the runtime's `fetch`, which is enough on loopback. */
  readonly fetch?: PlatformParts['fetch']
  readonly onRecord?: PlatformParts['onRecord']
}

interface Platform {
  readonly url: string
  close(): Promise<void>
}

/** Starts the stand-in for the platform, on loopback only. @throws {HelperError} for a port that cannot be used. */
export async function startPlatform(settings: PlatformSettings): Promise<Platform> {
  const { state, port = 0, faults = [], allowedBetas = [], fetch = globalThis.fetch, onRecord = () => {} } = settings
  const served = () => ({ document: settings.document ?? createDefaultDocument(url), lifeSec: documentLifeSec })
  const app = createPlatformApp({ state, faults, allowedBetas, served, fetch, onRecord })
  const server = createHttpServer(app.fetch, () => state.newId('request'))
  const url = await startListening(server, port)
  return { url, close: () => closeServer(server) }
}

/** How long a client keeps the served document. Our decision. */
const documentLifeSec = 3600
