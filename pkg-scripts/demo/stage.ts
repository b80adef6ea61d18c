import type { Client } from '../../src/client/session/client.ts'
import { startClient } from '../../src/client/session/start-client.ts'
import type { ConfigDocument } from '../../src/config/document.ts'
import { readDocument } from '../../src/config/read/document.ts'
import type { SceneEvent } from './scene-event.ts'

export const minute = 60_000

/** A client whose clock stands still until it is told. */
export interface Stage {
  readonly client: Client
  now(): number
  pass(ms: number): void
}

export function setStage(
  document: ConfigDocument,
  env: NodeJS.ProcessEnv,
  onEvent: (event: SceneEvent) => void,
): Stage {
  let now = Date.parse('2026-03-02T09:00:00Z')
  return {
    client: startClient({ document, env, platform: process.platform, now: () => now, onEvent }),
    now: () => now,
    pass: (ms) => {
      now += ms
    },
  }
}

/** The demo's documents go the way of every document: as text through the reader. */
export function readValid(baseUrl: string, credential: Record<string, unknown>): ConfigDocument {
  const text = JSON.stringify({ $schemaVersion: 2, inference: { provider: 'gateway', baseUrl, credential } })
  const { document, findings } = readDocument(Buffer.from(text))
  const error = findings.find(({ severity }) => severity === 'error')
  if (!document || error) throw new Error(`the demo's document: ${error?.path} ${error?.message}`)
  return document
}
