import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiPaths } from '../../src/contract/http-api.ts'
import { refusalHeader } from '../../src/contract/refusal-reasons.ts'
import { keyBounds } from '../../src/verify/jwt/key-ring.ts'
import type { EnduranceStage, Trouble } from './stage.ts'

/** The numbers of answers by request, answer, and recent disturbance. */
export type AnswerTally = Map<string, AnswerCount>

interface AnswerCount {
  count: number
  /** When the first and the last were sent, in epoch milliseconds. */
  readonly firstAt: number
  lastAt: number
  /** How long the slowest took. */
  longestMs: number
}

/** The seconds after each disturbance in which an answer may be the earlier one, or missing. */
const excusedSec = {
  policy: 5, // the processes read the file in turn
  keys: keyBounds.unknownMs / 1000 + 5, // the verifier asks no sooner for a key that it does not know
  redis: 8, // a connection that failed is tried again after at most five
  process: 2, // its open connections end
} as const satisfies Record<Trouble, number>

/** Sends tokens of every kind at a constant rate, and compares each answer with the expected one at that time. */
export async function sendRequests(stage: EnduranceStage, { rate, isOver }: SendSettings): Promise<SentRequests> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const answers: Record<string, number> = {}
  const excused: AnswerTally = new Map()
  const wrong: AnswerTally = new Map()
  const kinds = listKinds(stage)
  const pending = new Set<Promise<void>>()
  const send: SendToken = async (kind, token, expected, during = {}) => {
    const sentAt = Date.now()
    const answer = await ask(stage.listen, token, agent)
    answers[answer] = (answers[answer] ?? 0) + 1
    if (expected.includes(answer)) return answer
    const troubles = listTroubles(stage, sentAt)
    const excuses: Partial<Record<Trouble, readonly string[]>> = { process: ['no answer'], ...during }
    const isExcused = troubles.some((trouble) => excuses[trouble]?.includes(answer))
    const moment = troubles.length > 0 ? `within the time of: ${troubles.join(', ')}` : 'while nothing happened'
    add(isExcused ? excused : wrong, `${kind}: ${answer}, not ${expected.join(' or ')}, ${moment}`, sentAt)
    return answer
  }
  const startedAt = performance.now()
  for (let sent = 0; !isOver(); sent += 1) {
    const waitMs = startedAt + (sent * 1000) / rate - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    if (pending.size > 500) await Promise.race(pending) // the machine is too slow for the rate
    const work = kinds[sent % kinds.length]!(send).finally(() => pending.delete(work))
    pending.add(work)
  }
  await Promise.all(pending)
  agent.destroy()
  return { answers, excused, wrong }
}

interface SentRequests {
  /** The number of each answer: its status, and its reason or the named caller. */
  readonly answers: Record<string, number>
  /** The different answers that a disturbance explains. */
  readonly excused: AnswerTally
  /** The different answers that no disturbance explains. */
  readonly wrong: AnswerTally
}

interface SendSettings {
  /** Requests a second. */
  readonly rate: number
  readonly isOver: () => boolean
}

function listKinds(stage: EnduranceStage): readonly ((send: SendToken) => Promise<void>)[] {
  const sign = (claims: Readonly<Record<string, unknown>>) =>
    stage.issuer.sign({ sub: 'dana', aud: 'models', team: 'red', jti: randomUUID(), ...claims })
  const nowSec = () => Math.floor(Date.now() / 1000)
  let kept = { token: '', until: 0 }
  /** The tokens that have passed once, the oldest first. */
  const used: string[] = []
  return [
    async (send) => {
      await send('a new token', await sign({}), [passes], duringRotation)
    },
    async (send) => {
      // It lives longer than its cache entry, and shorter than its key is in use: a withdrawn key is refused.
      if (kept.until < Date.now()) kept = { token: await sign({}), until: Date.now() + 10_000 }
      await send('a token that was sent before', kept.token, [passes], duringRotation)
    },
    async (send) => {
      const token = await sign({ iat: nowSec() - 900, nbf: nowSec() - 900, exp: nowSec() - 600 })
      await send('an expired token', token, ['401 expired'], duringRotation)
    },
    async (send) => {
      const token = await sign({})
      const at = token.lastIndexOf('.') + 10
      const forged = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
      await send('a forged token', forged, ['401 signature'], duringRotation)
    },
    async (send) => {
      await send('a token for another audience', await sign({ aud: 'other' }), ['401 audience'], duringRotation)
    },
    async (send) => {
      const [now, other] = stage.isBlueIn ? [passes, '403 no-rule'] : ['403 no-rule', passes]
      const during = { ...duringRotation, policy: [other, now] }
      await send('a token of the team that comes and goes', await sign({ team: 'blue' }), [now], during)
    },
    async (send) => {
      await send('a token of nobody', 'x', ['401 unknown-kind'])
    },
    async (send) => {
      const token = await sign({ team: 'once' })
      const first = await send('a token that passes once', token, [passes], away)
      // After a lost answer, the use may or may not be recorded.
      const isUsed = first === passes
      const second = isUsed ? ['401 replayed'] : ['401 replayed', passes]
      // The lost answer may have taken as long as the key was in use.
      if (first === 'no answer') second.push('401 unknown-key')
      await send('the same once more', token, second, away)
      if (isUsed) used.push(token)
    },
    async (send) => {
      const token = used.length > 500 ? used.shift() : undefined
      // Redis was down since then, and the key may have been withdrawn.
      if (token) await send('the same later', token, ['401 replayed', '401 unknown-key'], away)
    },
  ]
}

/** Sends a request like a gateway. */
function ask(address: string, token: string, agent: Agent): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const headers = { authorization: `Bearer ${token}` }
  const asked = request(`${address}${apiPaths.messages}`, { agent, headers, timeout: 30_000 }, (response) => {
    const { [refusalHeader]: reason, 'x-user': user } = response.headers
    response.resume()
    response.once('end', () => resolve(`${response.statusCode} ${reason ?? user ?? ''}`))
    response.once('error', () => resolve('no answer'))
  })
  asked.once('timeout', () => asked.destroy())
  asked.once('error', () => resolve('no answer'))
  asked.end()
  return promise
}

/** Lists the disturbances that may explain an answer: those during its request, or shortly before. */
function listTroubles({ troubles }: EnduranceStage, sentAt: number): Trouble[] {
  const causes = Object.keys(troubles) as Trouble[] // the keys of its type
  return causes.filter((trouble) => troubles[trouble].until + excusedSec[trouble] * 1000 >= sentAt)
}

function add(tally: AnswerTally, words: string, sentAt: number): void {
  const tookMs = Date.now() - sentAt
  const before = tally.get(words)
  if (!before) return void tally.set(words, { count: 1, firstAt: sentAt, lastAt: sentAt, longestMs: tookMs })
  before.count += 1
  before.lastAt = Math.max(before.lastAt, sentAt)
  before.longestMs = Math.max(before.longestMs, tookMs)
}

/**
 * Sends a token.
 * @param during Further answers that are correct during a change.
 */
type SendToken = (
  kind: string,
  token: string,
  expected: readonly string[],
  during?: Partial<Record<Trouble, readonly string[]>>,
) => Promise<string>

const passes = '200 dana'

/** The answers that are also correct while the keys of an issuer change. */
const duringRotation = { keys: ['401 unknown-key'] } as const

const away = { ...duringRotation, redis: ['503 replay-store-unavailable'] } as const
