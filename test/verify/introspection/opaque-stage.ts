import { exportPKCS8 } from 'jose'
import { Secret } from '../../../src/runtime/secret.ts'
import { createProviderIntrospection } from '../../../src/verify/introspection/provider-introspection.ts'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import type { IntrospectionSettings, Policy, PolicyRule } from '../../../src/verify/policy/policy.ts'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import { createVerifier } from '../../../src/verify/verifier/create-verifier.ts'
import type { VerifierLimits } from '../../../src/verify/verifier/verifier.ts'
import { createTestKey, createTrust, goodClaims, now, nowSec } from '../jwt/issuer.ts'

const refuseFetch = () => {
  throw new Error('nothing is fetched')
}

/** The answer of the provider about a good token. */
export const good = {
  active: true,
  sub: 'dana',
  aud: goodClaims.aud,
  iss: goodClaims.iss,
  client_id: 'app',
  scope: 'chat',
  exp: nowSec + 100,
  iat: nowSec - 10,
  token_type: 'Bearer',
}

/** Creates a verifier whose provider, on the far side of `fetch`, answers as the test says about the token it is asked about. */
export async function createStage(
  changes: Partial<IntrospectionSettings> = {},
  given: { readonly rule?: Partial<PolicyRule>; readonly limits?: Partial<VerifierLimits> } = {},
) {
  const [key, client] = [await createTestKey('ES256'), await createTestKey('ES256', 'client')]
  const proof = { kind: 'key', file: 'client.key' } as const
  const settings = { url: 'https://id.example/introspect', clientId: 'gateway', proof, cacheSec: 30, ...changes }
  const introspection = { answers: 'plain', opaqueTokens: 'asked', whileUnavailable: 'pass', ...settings } as const
  const policy: Policy = {
    jwt: [createTrust([key], { introspection })],
    aws: undefined,
    rules: [
      {
        name: 'people',
        identities: { issuer: goodClaims.iss },
        conditions: [],
        headers: [],
        scopes: ['chat'],
        use: 'many times',
        ...given.rule,
      },
    ],
    clockSkewSec: 0,
  }
  const asked: RequestInit[] = []
  const world = { now, answer: async (_token: string): Promise<Response> => Response.json(good) }
  const keys = createIssuerKeys({ fetch: refuseFetch, now: () => world.now })
  const pem = await exportPKCS8(client.secret)
  const provider = createProviderIntrospection({
    async fetch(_, init) {
      asked.push(init)
      return world.answer(new URLSearchParams(String(init.body)).get('token') ?? '')
    },
    readSecret: async () => new Secret(pem),
    keys,
    now: () => world.now,
    entries: 10,
  })
  const verifier = createVerifier({
    policy: () => policy,
    keys,
    fetch: refuseFetch,
    introspection: provider,
    now: () => world.now,
    replay: createMemoryReplayStore({ now: () => world.now }),
    ...(given.limits && { limits: given.limits }),
  })
  const decide = async (token = 'opaque-1') => {
    const verdict = await verifier.verify(token)
    if (verdict.outcome === 'refused') return `${verdict.refusal.reason}: ${verdict.refusal.note}`
    const { kind, issuer, subject } = verdict.identity
    return `${verdict.rule}: ${kind} ${issuer} ${subject}`
  }
  return { world, asked, decide, key, client, verifier, provider }
}
