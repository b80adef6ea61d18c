import type { ClientEvent, ClientEventBody, RunCause } from '../../../src/client/client-event.ts'
import type { ClientSettings } from '../../../src/client/session/client.ts'
import { startClient } from '../../../src/client/session/start-client.ts'
import type { Credential, HelperScriptCredential, Inference } from '../../../src/config/document.ts'
import type { ClientContext } from '../../../src/contract/context.ts'
import { type Step, writeScriptedHelper } from '../launch/scripted-helper.ts'

/** When a test's client starts. */
export const startedAt = Date.parse('2026-03-02T09:00:00Z')

/** Starts a client with a gateway at `baseUrl`, whose clock stands still until the test moves it. */
export function startTestClient(
  baseUrl: string,
  credential: Credential | undefined,
  inference: Inference = {},
  more: Partial<ClientSettings> = {},
) {
  let now = startedAt
  let reported = 0
  const events: ClientEvent[] = []
  const client = startClient({
    document: { inference: { provider: 'gateway', baseUrl, ...(credential && { credential }), ...inference } },
    env: {},
    platform: process.platform,
    now: () => now,
    onEvent: (event) => events.push(event),
    ...more,
  })
  return {
    client,
    now: () => now,
    events,
    passSec: (seconds: number) => {
      now += seconds * 1000
    },
    /** Events since the last call, without time, session, real durations and waits. */
    newEvents: () => {
      const fresh = events.slice(reported)
      reported = events.length
      return fresh.map(({ at: _, session: __, ...event }) => {
        const { durationMs: ___, waitedMs: ____, ...rest } = { durationMs: 0, waitedMs: 0, ...event }
        return rest
      })
    },
  }
}

/** Starts a client over a scripted helper. */
export async function startHelperClient(
  url: string,
  steps: readonly Step[],
  changes: Partial<HelperScriptCredential> = {},
  { inference = {}, ...more }: Partial<ClientSettings> & { readonly inference?: Inference } = {},
) {
  const helper = await writeScriptedHelper(...steps)
  const credential = { ...helper.credential, ...changes }
  return { ...startTestClient(url, credential, inference, more), credential, contexts: helper.contexts }
}

type EventOf<Type> = Extract<ClientEventBody, { type: Type }>

const started = (context: ClientContext = 'interactive') => ({ type: 'session-started', context })
const run = (context: ClientContext, cause: RunCause) => ({ type: 'helper-started', context, cause })
const printed = (more: Partial<EventOf<'helper-succeeded'>> = {}) => ({
  type: 'helper-succeeded',
  warnings: [],
  stderr: '',
  headerNames: [],
  ...more,
})
const answered = (status: number, attempt: 1 | 2 = 1) => ({ type: 'request-answered', attempt, status })
const done = { type: 'turn-succeeded', attempts: 1 }

/** The events of a client, in the short form of tests. */
export const clientEvents = {
  started,
  run,
  printed,
  answered,
  done,
  /** A session that begins with a healthy run of the helper. */
  sessionStart: [started(), run('interactive', 'session-start'), printed()],
  /** A turn that goes through at once. */
  turnDone: [answered(200), done],
  rescued: { type: 'turn-succeeded', attempts: 2 },
  reused: (ageSec: number) => ({ type: 'credential-reused', ageSec }),
  failed: (more: Partial<EventOf<'helper-failed'>>) => ({ type: 'helper-failed', stderr: '', ...more }),
  prompt: { type: 'expiry-prompt' },
  lost: (failure: EventOf<'turn-failed'>['failure'], message: string) => ({ type: 'turn-failed', failure, message }),
  unauthorized: { type: 'turn-failed', failure: 'unauthorized', message: 'the gateway answered with HTTP 401' },
  noCredential: { type: 'turn-failed', failure: 'no-credential', message: 'there is no credential to send' },
}
