import { onTestFinished } from 'vitest'
import { apiVersion, sessionBeta } from '../../src/contract/http-api.ts'
import type { PlatformRecord } from '../../src/gateway/http/record-requests.ts'
import { type Seed, seedPlatform } from '../../src/gateway/seed-platform.ts'
import { startPlatform } from '../../src/gateway/start-platform.ts'
import { openState, type State } from '../../src/gateway/store/state.ts'
import type { Secret } from '../../src/runtime/secret.ts'

/** The initial time of a stage's clock. */
export const stageStart = Date.UTC(2026, 0, 15, 12)

export interface SendOptions {
  /** Sent as a bearer token. */
  readonly as?: Secret | undefined
  /** Added to the headers of every operation; `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** JSON, or text as it is. */
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  /** The answer's body, which may have any shape: a test reads it, and fails where the shape is different. */
  readonly body: ReturnType<typeof JSON.parse>
  readonly headers: Headers
}

/** A seeded platform on loopback with a clock of the test's own. */
export interface Stage {
  readonly url: string
  readonly state: State
  readonly seed: Seed
  readonly records: PlatformRecord[]
  advance(seconds: number): void
  now(): number
  send(method: string, path: string, options?: SendOptions): Promise<Answer>
}

export async function startStage(
  settings: Omit<Parameters<typeof startPlatform>[0], 'state'> & { file?: string } = {},
): Promise<Stage> {
  const { file, ...rest } = settings
  let now = stageStart
  const state = openState({ now: () => now, ...(file !== undefined && { file }) })
  const seed = seedPlatform(state)
  const records: PlatformRecord[] = []
  const platform = await startPlatform({ onRecord: (record) => records.push(record), ...rest, state })
  onTestFinished(async () => {
    await platform.close()
    state.close()
  })
  return {
    url: platform.url,
    state,
    seed,
    records,
    advance: (seconds) => {
      now += seconds * 1000
    },
    now: () => now,
    send: (method, path, options) => send(platform.url + path, method, options),
  }
}

async function send(url: string, method: string, { as, headers = {}, body }: SendOptions = {}): Promise<Answer> {
  const all = {
    'vendor-version': apiVersion,
    'vendor-beta': url.includes('/sessions/') ? sessionBeta : undefined,
    'content-type': body === undefined ? undefined : 'application/json',
    authorization: as && `Bearer ${as.reveal()}`,
    ...headers,
  }
  const response = await fetch(url, {
    method,
    headers: Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
}

/** Returns the outcome of a refused request, its id left out. */
export function refusal({ status, body }: Answer): string {
  return `${status} ${body.error.type}: ${body.error.message}`
}

/** The smallest message. */
export const message = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hello?' }] }

/**
 * Returns a body without a stated length that does not end: 64 MiB, and then nothing more. Its bytes come to an end because a `fetch` whose
 * connection was reset goes on reading its body (`processBodyChunk` of undici), and would hold the process if it always got more.
 */
export function bodyWithoutEnd(): ReadableStream {
  let left = 1024
  return new ReadableStream({
    pull: (controller) => {
      left -= 1
      return left < 0 ? new Promise(() => {}) : controller.enqueue(new Uint8Array(65_536))
    },
  })
}
