import { randomUUID } from 'node:crypto'
import type { OpenSignIn } from '../../client/credentials/client-sign-in.ts'
import { type RunHelper, toStatusFailure } from '../../client/launch/run-credential-helper.ts'
import { parseScenario } from '../../client/simulation/parse-scenario.ts'
import { planScenario } from '../../client/simulation/plan-scenario.ts'
import { playScenario } from '../../client/simulation/play-scenario.ts'
import { renderTime } from '../../client/simulation/render-timeline.ts'
import type { SimulationEvent } from '../../client/simulation/simulation-event.ts'
import { VirtualClock } from '../../client/simulation/virtual-clock.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { clientDefaults } from '../../contract/limits.ts'
import { refreshCauseVariable } from '../../contract/refresh.ts'
import { exitStatus, HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { Secret } from '../../runtime/secret.ts'
import { renderCounted } from '../../runtime/text/counted.ts'
import { renderDuration } from '../../runtime/values/duration.ts'
import { computeDayStart, startOwnGateway } from '../simulate/stage.ts'

/** The facts about tokens that a real sign-in, or a real helper run, has shown. */
export interface ObservedCredential {
  /** In seconds; `undefined` for a token without an end. */
  readonly lifeSec: number | undefined
  /** Whether the next token needs no person; otherwise a person is asked for each. */
  readonly isRenewable: boolean
  /** The real duration of one renewal. */
  readonly renewalMs: number
}

/** A day on which one person works from nine to five; after lunch the gateway refuses every token once. */
const workingDay = `
summary: a working day
steps: [start, turn every 5m for 3h, sleep 1h, turn every 5m for 2h, revoke, turn every 5m for 2h]
`

/** Simulates the working day with the observed life and renewal of tokens; nothing real runs. */
export async function playWorkingDay(
  host: Pick<Host, 'env' | 'platform'>,
  document: ConfigDocument,
  observed: ObservedCredential,
): Promise<PlayedDay> {
  const parsed = parseScenario(workingDay)
  const tasks = parsed.ok ? planScenario(parsed.scenario) : ''
  if (typeof tasks === 'string') throw new Error('the working day is not a scenario')
  const clock = new VirtualClock(computeDayStart(Date.now()))
  const { gateway, close } = await startOwnGateway(clock, document)
  const person = new PlayedPerson(clock, observed)
  try {
    const settings = { tasks, document, clock, gateway, env: host.env, platform: host.platform }
    const plays = { runHelper: person.runHelper, openSignIn: person.openSignIn, afterLostTurn: 'new session' } as const
    return summarizeDay(await playScenario({ ...settings, ...plays }), person)
  } finally {
    await close()
  }
}

interface PlayedDay {
  readonly turns: number
  /** When a person is asked, in epoch milliseconds of the day. */
  readonly askedAt: readonly number[]
  /** The turns that wait for a token without a person. */
  readonly waits: number
  readonly lost: number
  readonly refusal: 'unseen' | 'rescued' | 'asks' | 'lost'
}

/** A person whose tokens have the observed life, with a helper or with a sign-in of the client. */
class PlayedPerson {
  readonly askedAt: number[] = []
  renewals = 0
  readonly #clock: VirtualClock
  readonly #observed: ObservedCredential
  #token: { readonly secret: Secret; readonly endsAt: number } | undefined

  constructor(clock: VirtualClock, observed: ObservedCredential) {
    this.#clock = clock
    this.#observed = observed
  }

  /** Gives a token as the suite's helpers do: from the cache, else without a person, else with a person if the context permits it. */
  readonly runHelper: RunHelper = async (credential, context, { env }) => {
    const isRefused = env[refreshCauseVariable] === 'refused'
    const { isRenewable, renewalMs } = this.#observed
    const ttlSec = credential.ttlSec ?? clientDefaults.ttlSec
    const leftMs = isRefused ? 0 : (this.#token?.endsAt ?? 0) - this.#clock.now()
    // Like the cache of helpers: a token is served if it outlives the ttl by a minute (docs/cache.md).
    const neededMs = isRenewable ? Math.min(ttlSec + 60, (this.#observed.lifeSec ?? ttlSec) / 2) * 1000 : 0
    if (this.#token && leftMs > neededMs) return toRun(this.#token.secret, 0)
    if (isRenewable && (this.#token !== undefined || context !== 'interactive')) {
      this.renewals += 1
      return toRun(this.#mint(), renewalMs)
    }
    if (context !== 'interactive') {
      const status = exitStatus['sign-in-required']
      return { ok: false, ...toStatusFailure(status), durationMs: renewalMs, stderr: '', survivors: 'none' }
    }
    this.askedAt.push(this.#clock.now())
    return toRun(this.#mint(), renewalMs)
  }

  readonly openSignIn: OpenSignIn = () => {
    const { isRenewable, renewalMs, lifeSec } = this.#observed
    const succeed = () => ({ ok: true, token: this.#mint(), lifeSec, isRenewable, durationMs: renewalMs }) as const
    return {
      signIn: async () => {
        this.askedAt.push(this.#clock.now())
        return succeed()
      },
      renew: async () => {
        if (!isRenewable) return { ok: false, failure: noRefreshToken, durationMs: 0 }
        this.renewals += 1
        return succeed()
      },
    }
  }

  #mint(): Secret {
    const { lifeSec } = this.#observed
    // The simulated world counts the token's life from its own time.
    const end = lifeSec === undefined ? {} : { exp: Math.ceil(Date.now() / 1000) + lifeSec }
    const claims = Buffer.from(JSON.stringify({ ...end, jti: randomUUID() })).toString('base64url')
    const secret = new Secret(`eyJhbGciOiJub25lIn0.${claims}.`)
    const lifeMs = lifeSec === undefined ? Number.POSITIVE_INFINITY : lifeSec * 1000
    this.#token = { secret, endsAt: this.#clock.now() + lifeMs }
    return secret
  }
}

const noRefreshToken = new HelperError('sign-in-required', 'there is no refresh token', 'sign in again')

function toRun(token: Secret, durationMs: number) {
  const output = { credential: { token, headers: {} }, shape: 'bare token', warnings: [] } as const
  return { ok: true, ...output, stderr: '', durationMs, survivors: 'none' } as const
}

function summarizeDay(events: readonly SimulationEvent[], { askedAt, renewals }: PlayedPerson): PlayedDay {
  const turns = events.filter(({ type }) => type === 'turn-succeeded' || type === 'turn-failed')
  const lost = events.filter(({ type }) => type === 'turn-failed').length
  const revokedAt = events.findIndex((event) => event.type === 'staged' && event.words === 'every token is revoked')
  const next = events.slice(revokedAt).find(({ type }) => type === 'turn-succeeded' || type === 'turn-failed')
  return {
    turns: turns.length - lost,
    askedAt,
    waits: renewals,
    lost,
    refusal: detectRefusal(next, events[revokedAt]?.at ?? 0, askedAt),
  }
}

/** Detects how the first turn after the revocation ended. */
function detectRefusal(
  turn: SimulationEvent | undefined,
  revokedMs: number,
  askedAt: readonly number[],
): PlayedDay['refusal'] {
  if (turn === undefined) return 'unseen'
  if (turn.type === 'turn-succeeded') return 'rescued'
  return askedAt.some((at) => at === turn.at && at >= revokedMs) ? 'asks' : 'lost'
}

/** Renders the day for a person, a fact on each line. */
export function renderDay(day: PlayedDay, { lifeSec, renewalMs }: ObservedCredential): string {
  const times = day.askedAt.map((at) => renderTime(at).slice(0, 5))
  const asked = day.askedAt.length === 0 ? 'never' : `${renderCounted(day.askedAt.length, 'time')}: ${times.join(', ')}`
  const rows: readonly (readonly [string, string])[] = [
    ['tokens live', lifeSec === undefined ? 'they do not say' : renderDuration(Math.round(lifeSec))],
    ['a person is asked', asked],
    [
      'turns that wait',
      day.waits === 0 ? 'none' : `${day.waits} of ${day.turns}, each about ${renderSeconds(renewalMs)}`,
    ],
    ['turns lost', `${day.lost}${day.lost === 0 ? '' : ', and sent again after a new session'}`],
    ['at the first 401', refusals[day.refusal]],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, words]) => `  ${name.padEnd(width)}  ${words}\n`).join('')
}

function renderSeconds(ms: number): string {
  return `${Math.max(0.1, ms / 1000).toFixed(1)} s`
}

const refusals: Readonly<Record<PlayedDay['refusal'], string>> = {
  unseen: 'no turn followed',
  rescued: 'a new token comes without a person, and the turn goes through',
  asks: 'the turn is lost, and the person signs in again',
  lost: 'the turn is lost, and a new session does not help: the key itself is refused',
}
