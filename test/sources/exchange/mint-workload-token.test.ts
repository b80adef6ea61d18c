import { expect, onTestFinished, test } from 'vitest'
import type { MintCall } from '../../../src/helper/define-helper.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { mintWorkloadToken } from '../../../src/sources/exchange/mint-workload-token.ts'
import type { WorkloadPlan } from '../../../src/sources/exchange/plan-workload.ts'
import { startTokenServer } from '../../cache/token-server.ts'
import { toUnsignedJwt } from '../../helpers/oidc-token/seed-sign-in.ts'
import { type EndpointAnswer, granted, startTokenEndpoint } from '../../stand-ins/identity/token-endpoint.ts'

const claims = { iss: 'https://id.example', sub: 'runner', exp: 4_000_000_000 }

/** Starts a source that gives each of its tokens once, of which the first was exchanged before, and a platform. */
async function startPlatform() {
  const answer = (number: number) => ({ access_token: `access-${number}`, token_type: 'Bearer', expires_in: 3600 })
  const platform = await startTokenServer(answer, { status: 400, error: 'invalid_grant' })
  const tokens = ['old', 'new', 'newest'].map((jti) => new Secret(toUnsignedJwt({ ...claims, jti })))
  const source = { token: 'the identity token', renewalHint: 'wait', obtain: async () => tokens.shift() }
  const target = { baseUrl: platform.url, host: 'platform', organizationId: 'o', federationRuleId: 'r' }
  const plan = { source, target, reuse: 'refused' } as unknown as WorkloadPlan // no more of it is used
  let uses = 0
  const usedAssertions: MintCall['usedAssertions'] = {
    use: async (_, work) => {
      uses += 1
      return uses === 1 ? 'used' : (await work(undefined)).result
    },
  }
  const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
  const clock = { now: Date.now, startedAt: 0, elapsedMs: () => 0 }
  const deadline = new Deadline({ seconds: 30, hint: '' }, clock).shorten(5)
  const call = { deadline, usedAssertions, network, warn: () => {} } as unknown as MintCall // likewise
  return { platform, mint: () => mintWorkloadToken({ clock }, call, plan) }
}

const busyWith = (answer: string) =>
  new HelperError('unavailable', `platform is busy or broken (${answer})`, 'try again in a moment')
const refused = new HelperError(
  'refused',
  'platform did not exchange the identity token (HTTP 400 invalid_grant)',
  'have the federation rule r accept issuer "https://id.example", subject "runner" and audience none, and check organization, service-account and workspace; a token that was exchanged before may have to be renewed first',
)

test('work that the call can do without gets another identity token where the first was exchanged before', async () => {
  const { mint } = await startPlatform()
  expect((await mint()).token.reveal()).toBe('access-1')
})

test.each([
  ['refuses', 'refuse', refused],
  ['is overloaded', 'refuseBriefly', busyWith('HTTP 503')],
] as const)('work that the call can do without does not ask again a platform that %s', async (_, fail, failure) => {
  const { platform, mint } = await startPlatform()
  platform[fail]()
  const outcome = await mint().catch((thrown: unknown) => thrown)
  expect({ outcome, asked: platform.asked() }).toEqual({ outcome: failure, asked: 1 })
})

/** Starts a platform that answers as scripted, and a source that gives the same token again and again, as a file does. */
async function startBusyPlatform(own: object, reuse: WorkloadPlan['reuse'], answers: readonly EndpointAnswer[]) {
  const endpoint = await startTokenEndpoint()
  onTestFinished(() => endpoint[Symbol.asyncDispose]())
  endpoint.answer(...answers)
  const token = new Secret(toUnsignedJwt({ ...claims, ...own }))
  const source = { token: 'the identity token', renewalHint: 'wait', obtain: async () => token }
  const target = { baseUrl: endpoint.url, host: 'platform', organizationId: 'o', federationRuleId: 'r' }
  const plan = { source, target, reuse } as unknown as WorkloadPlan // as above
  const usedAssertions: MintCall['usedAssertions'] = { use: async (_, work) => (await work(undefined)).result }
  const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
  const begin = performance.now()
  const clock = { now: Date.now, startedAt: 0, elapsedMs: () => performance.now() - begin }
  const call = { deadline: new Deadline({ seconds: 15, hint: '' }, clock), usedAssertions, network, warn: () => {} }
  const mint = () => mintWorkloadToken({ clock }, call as unknown as MintCall, plan) // as above
  return { mint, countSent: () => endpoint.requests.length }
}

const busy = (status: number, seconds: number) => ({
  status,
  headers: { 'retry-after': String(seconds) },
  body: { error: 'slow_down' },
})
const single = { jti: 'one' }

test.each<[what: string, own: object, reuse: WorkloadPlan['reuse'], status: number]>([
  ['that the platform accepts more than once', single, 'allowed', 429],
  ['that the platform accepts more than once', single, 'allowed', 503],
  ['without a jti', {}, 'never', 429],
])('an identity token %# %s waits for a busy platform, and is sent again', async (_, own, reuse, status) => {
  const { mint, countSent } = await startBusyPlatform(own, reuse, [busy(status, 0), { body: granted }])
  expect((await mint()).token.reveal()).toBe(granted.access_token)
  expect(countSent()).toBe(2)
})

test.each<[what: string, own: object, reuse: WorkloadPlan['reuse'], answer: EndpointAnswer, failure: HelperError]>([
  ['that may be valid once', single, 'never', busy(429, 0), busyWith('HTTP 429 slow_down')],
  ['that was refused', single, 'allowed', { status: 400, body: { error: 'invalid_grant' } }, refused],
  ['for which there is no time', single, 'allowed', busy(429, 15), busyWith('HTTP 429 slow_down')],
])('an identity token %s is not sent again', async (_, own, reuse, answer, failure) => {
  const { mint, countSent } = await startBusyPlatform(own, reuse, [answer, { body: granted }])
  await expect(mint()).rejects.toEqual(failure)
  expect(countSent()).toBe(1)
})
