import type { Policy } from '../../../src/verify/policy/policy.ts'
import { listUnmetFacts } from '../../../src/verify/policy/request-condition.ts'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import { type Identity, TokenRefusal, type Verdict } from '../../../src/verify/verdict.ts'
import { createTokenVerifier } from '../../../src/verify/verifier/create-verifier.ts'
import type { Observation, TokenChecks, VerifierParts } from '../../../src/verify/verifier/verifier.ts'

export const start = Date.UTC(2026, 0, 15, 12)

/** Creates a policy that nothing looks into but the checks of the test. */
export function createPolicy(): Policy {
  const audience = { header: 'x-server-id', value: 'gateway.example' }
  const aws = { audience, prefix: 'proof.', partitions: ['aws'], longestAgeSec: 900 }
  return { jwt: [], aws, rules: [], clockSkewSec: 30 }
}

export function createIdentity(kind: Identity['kind'], subject: string): Identity {
  return { kind, issuer: 'https://idp.example', subject, claims: {}, issuedAt: start, expiresAt: start + 300_000 }
}

/**
 * Creates a verifier whose checks read what they say out of the token: `a.b.c` and `proof.x` pass many times, with `once` in them one time;
 * with a reason in it a token is refused for that. It counts what was asked.
 */
export function createMadeUpVerifier(
  given: Partial<VerifierParts> & { checks?: Partial<TokenChecks['identify']> } = {},
) {
  const asked: string[] = []
  const observed: Observation[] = []
  const world = { now: start, policy: createPolicy() }
  const identify = (kind: Identity['kind']) => async (token: string) => {
    asked.push(token)
    const reason = /refused-([a-z-]+)/.exec(token)?.[1]
    if (reason !== undefined) throw new TokenRefusal(reason as 'signature')
    if (token.includes('defect')) throw new RangeError(`out of range: ${token}`)
    return createIdentity(kind, toSubject(token))
  }
  const verifier = createTokenVerifier(
    {
      policy: () => world.policy,
      replay: createMemoryReplayStore({ now: () => world.now }),
      now: () => world.now,
      observe: (observation) => observed.push(observation),
      ...given,
    },
    {
      identify: {
        jwt: identify('jwt'),
        opaque: identify('opaque'),
        'aws-identity': identify('aws-identity'),
        ...given.checks,
      },
      requireRule: ({ subject }, { rules }, request) => {
        const isOther = rules.some(({ request: asked }) => asked && listUnmetFacts(asked, request).length > 0)
        if (isOther) throw new TokenRefusal('no-rule', { detail: 'the request is another one' })
        if (subject.includes('stranger')) throw new TokenRefusal('no-rule', { detail: 'the claim "team" is missing' })
        const use = asked.at(-1)?.includes('once') ? 'once' : 'many times'
        return { rule: { name: 'staff', use }, headers: { 'x-user': subject, 'x-team': '' } }
      },
    },
  )
  return { verifier, world, asked, observed }
}

/** Returns the owner of a made-up token, whose name is not the token itself. */
export function toSubject(token: string): string {
  return token.replace('once', '').replaceAll('.', '-')
}

/** Returns a verdict with what its refusal states, apart from the stack and the cause of an error. */
export function toWhole(verdict: Verdict | undefined) {
  if (verdict?.outcome !== 'refused') return verdict
  const { reason, detail, note, requiredScopes, retryAfterSec } = verdict.refusal
  return { ...verdict, refusal: { reason, detail, note, requiredScopes, retryAfterSec } }
}
