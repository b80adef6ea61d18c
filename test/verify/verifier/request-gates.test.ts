import { expect, test } from 'vitest'
import { TokenRefusal, type Verdict } from '../../../src/verify/verdict.ts'
import { createRequestGates } from '../../../src/verify/verifier/request-gates.ts'
import { defaultLimits } from '../../../src/verify/verifier/verifier.ts'
import { createIdentity, createPolicy, start, toWhole } from './made-up-checks.ts'

const gateNames = ['proof', 'revocation', 'activity', 'limit', 'use'] as const
type GateName = (typeof gateNames)[number]

const identity = { ...createIdentity('jwt', 'dana'), binding: { certificate: 'hers' } }
const accepted: Verdict = { outcome: 'accepted', identity, rule: 'staff', headers: { 'x-user': 'dana' } }
const noRule: Verdict = { outcome: 'refused', identity, refusal: new TokenRefusal('no-rule', { detail: 'no rule' }) }

/** Sends a request whose token owes something at each gate, and says which gates were asked. */
async function send(closed: readonly GateName[], verdict = accepted) {
  const asked: string[] = []
  const ask = (name: GateName, reason: 'revoked' | 'inactive' | 'too-many-requests') => {
    asked.push(name)
    return closed.includes(name) ? new TokenRefusal(reason, { note: `by the gate ${name}` }) : undefined
  }
  const gates = createRequestGates({
    policy: createPolicy,
    now: () => start,
    limits: defaultLimits,
    replay: {
      async use() {
        asked.push('use')
        return closed.includes('use') ? 'again' : 'first'
      },
      isAvailable: () => true,
      close: async () => {},
    },
    revocations: {
      findRefusal: () => ask('revocation', 'revoked'),
      keysVersion: () => 0,
      hasKey: () => false,
      states: () => [],
    },
    introspection: {
      isKnownActive: () => false,
      identify: async () => identity,
      async requireActive() {
        const refusal = ask('activity', 'inactive')
        if (refusal) throw refusal
      },
    },
    requestLimits: { take: () => undefined, takeShared: async () => ask('limit', 'too-many-requests') },
  })
  const request: Parameters<ReturnType<typeof createRequestGates>['apply']>[0] = {
    decision: { verdict, kind: 'jwt', until: start, ...owed },
    token: 'a.b.c',
    sender: {
      scheme: 'Bearer',
      read() {
        asked.push('proof')
        return { certificate: closed.includes('proof') ? 'of another' : 'hers', proofs: [] }
      },
    },
    counting: 'takeShared',
    source: 'cache',
  }
  return { verdict: toWhole(await gates.apply(request)), asked, source: request.source }
}

const owed = {
  use: { digest: 'digest', until: start },
  limit: { key: 'dana', rate: { requests: 1, everySec: 1, burst: 1 } },
  question: { key: 'question' } as never, // only the provider of this test looks at it
}

const anotherCertificate = 'it is bound to another client certificate than that of the connection'

const refusals = {
  proof: { reason: 'certificate', detail: anotherCertificate, note: anotherCertificate },
  revocation: { reason: 'revoked', note: 'by the gate revocation' },
  activity: { reason: 'inactive', note: 'by the gate activity' },
  limit: { reason: 'too-many-requests', note: 'by the gate limit' },
  use: { reason: 'replayed' },
} as const

test.each(gateNames.map((name, at) => [name, at] as const))(
  'the gate of the %s refuses a request before the gates after it are asked',
  async (name, at) => {
    expect(await send(gateNames.slice(at))).toEqual({
      verdict: { outcome: 'refused', identity, refusal: refusals[name] },
      asked: gateNames.slice(0, at + 1),
      source: at < gateNames.indexOf('activity') ? 'cache' : 'verification',
    })
  },
)

test('a request gets the verdict of its decision if every gate is open', async () => {
  expect(await send([])).toEqual({ verdict: accepted, asked: gateNames, source: 'verification' })
})

test('a refused token is asked for its proof first', async () => {
  expect([await send(['revocation'], noRule), await send(['proof'], noRule)]).toEqual([
    {
      verdict: { outcome: 'refused', identity, refusal: { reason: 'no-rule', detail: 'no rule' } },
      asked: ['proof'],
      source: 'cache',
    },
    { verdict: { outcome: 'refused', identity, refusal: refusals.proof }, asked: ['proof'], source: 'cache' },
  ])
})
