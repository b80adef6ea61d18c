import type { Client, ClientSettings } from '../../src/client/session/client.ts'
import { startClient } from '../../src/client/session/start-client.ts'
import type { ConfigDocument } from '../../src/config/document.ts'
import { parseDocument } from '../../src/config/read/read-document.ts'
import type { SceneEvent } from './scene-event.ts'

/** A minute in milliseconds. */
export const minuteMs = 60_000

/** When every scene begins, in epoch milliseconds. */
export const morning = Date.parse('2026-03-02T09:00:00Z')

/** Creates a client of this document on a fixed morning. */
export function createDemoClient(
  document: ConfigDocument,
  env: NodeJS.ProcessEnv,
  onEvent: (event: SceneEvent) => void,
  more: Pick<ClientSettings, 'openAddress' | 'otherClient' | 'world'> = {},
): DemoClient {
  let now = morning
  return {
    client: startClient({ document, env, platform: process.platform, now: () => now, onEvent, ...more }),
    now: () => now,
    advance: (ms) => {
      now += ms
    },
  }
}

/** A client with a clock that moves only when it is advanced. */
interface DemoClient {
  readonly client: Client
  now(): number
  advance(ms: number): void
}

/**
 * Parses a document of the demo from text, like every document.
 * @throws if it has an error.
 */
export function createDemoDocument(baseUrl: string, credential: Record<string, unknown>): ConfigDocument {
  return parseDemoDocument({ $schemaVersion: 2, inference: { provider: 'gateway', baseUrl, credential } })
}

/** Parses a document of the demo in any form, like every document. */
export function parseDemoDocument(content: Record<string, unknown>): ConfigDocument {
  const { document, findings } = parseDocument(Buffer.from(JSON.stringify(content)))
  const error = findings.find(({ severity }) => severity === 'error')
  if (!document || error) throw new Error(`the demo's document: ${error?.path} ${error?.message}`)
  return document
}
