import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import { createDecideRequest, createVerifierListener } from '../../../src/verify/server/verifier-listener.ts'
import { createVerifier } from '../../../src/verify/verifier/create-verifier.ts'
import { writeShellHelper } from '../../client/simulation/play.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { createTestKey, goodClaims, signClaims } from '../../verify/jwt/issuer.ts'
import { documentWith, runGatepass, writeTemporary } from '../run-gatepass.ts'

const { iss, aud } = goodClaims
const now = Math.floor(Date.now() / 1000)
const times = { iat: now - 60, exp: now + 7200 }

/** Starts a verifier that a gateway would ask, as it answers itself. */
async function startGateway(key: Awaited<ReturnType<typeof createTestKey>>): Promise<string> {
  const file = {
    issuers: [{ issuer: iss, audiences: [aud], keys: { inline: { keys: [key.jwk] } } }],
    rules: [{ name: 'people', issuer: iss, claims: { groups: ['ai-*'] }, headers: { 'x-user': '{sub}' } }],
  }
  const { policy } = parsePolicy(Buffer.from(JSON.stringify(file)))
  const fetch = async () => new Response('', { status: 404 })
  const verifier = createVerifier({
    policy: () => policy!,
    keys: createIssuerKeys({ fetch, now: Date.now }),
    replay: createMemoryReplayStore({ now: Date.now, entries: 10 }),
    fetch,
    now: Date.now,
  })
  const decideRequest = createDecideRequest({ verifier, tokenHeaders: ['authorization'], observe: () => {} })
  const answers = { decideRequest, onAnswer: () => {} }
  const server = createServer(createVerifierListener(() => answers, { from: 'nothing' }))
  return `http://127.0.0.1:${await listenDuringTest(server)}`
}

const key = await createTestKey('ES256')
const unauthorized = { status: 401, code: 'authentication_error' }

test.each<[what: string, token: () => Promise<string>, answer: object, cause: string, hint: string]>([
  [
    'no rule is for it',
    () => signClaims(key, { ...times, groups: ['other'] }),
    {
      status: 403,
      code: 'permission_error',
      message: 'the token is good, and no rule of the policy lets its owner pass',
      reason: 'no-rule',
      detail: 'no rule accepts its claims: groups (no accepted value)',
    },
    'the token is good, and no rule of the gateway lets its owner pass: no rule accepts its claims: groups (no accepted value)',
    `ask the gateway's operators for a rule for this identity of "${iss}"; tell them the line above`,
  ],
  [
    'it is for another audience',
    () => signClaims(key, { ...times, aud: 'other' }),
    {
      ...unauthorized,
      message: 'the token is for another audience',
      reason: 'audience',
      detail: `it is for "other", not for "${aud}"`,
    },
    `the token is for another audience than this gateway: it is for "other", not for "${aud}"`,
    'ask for a token for the name that the gateway expects: by --audience, or by the scopes or the resource of the gateway',
  ],
  [
    'it is of another issuer',
    () => signClaims(key, { ...times, iss: 'https://other.example' }),
    { ...unauthorized, message: 'the issuer of the token is not trusted here', reason: 'issuer' },
    'the gateway does not trust the issuer of the token, "https://other.example"',
    "have the gateway's operators add that issuer to the policy, as it is written here, or use the identity provider that they trust",
  ],
  [
    'its kind is not taken',
    async () => 'opaque-canary-token',
    { ...unauthorized, message: 'tokens of this kind are not accepted here', reason: 'unknown-kind' },
    'the gateway takes no tokens of this kind, which is an opaque token',
    "ask the gateway's operators which kind it takes, and choose a helper for that: gatepass choose",
  ],
])('doctor says of a token that %s', async (_what, token, answer, cause, hint) => {
  const helper = await writeShellHelper(`echo ${await token()}`)
  const document = JSON.parse(documentWith(helper))
  document.inference.baseUrl = await startGateway(key)
  const path = await writeTemporary('document.json', JSON.stringify(document))
  const { status, stdout } = await runGatepass('doctor', path, '--yes', '--json')
  const part = JSON.parse(stdout).parts.find((row: { part: string }) => row.part === 'gateway')
  expect([status, part.answer, part.lines.at(-1), part.hint]).toEqual([1, answer, cause, hint])
})
