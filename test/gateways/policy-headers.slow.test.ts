import { expect, test } from 'vitest'
import { parsePolicy } from '../../src/verify/policy/parse-policy.ts'
import { listPolicyHeaders } from '../../src/verify/policy/recipe-terms.ts'
import { startRotatingIssuer } from '../stand-ins/issuer/rotating-issuer.ts'
import { startModel } from '../stand-ins/model/model.ts'
import { runWithGateway } from './run-with-gateway.ts'
import { audience, people } from './stage/print-tokens.ts'
import { bearer } from './stage/scenario.ts'
import { sendRequest } from './stage/send.ts'
import { gateways, withVerifier } from './verified-gateways.ts'

test.each(Object.entries(gateways))(
  'a caller’s own header of a policy does not reach the model through the recipe for %s',
  async (_, start) => {
    await using issuer = await startRotatingIssuer()
    await using model = await startModel()
    const policy = renderPolicy(issuer.issuer)
    const names = listPolicyHeaders(parsePolicy(Buffer.from(policy)).policy!)
    const person = { ...people.dana, aud: audience.jwt }
    const forged = [
      ['X-Groups', 'admins'],
      ['x-GROUPS', 'admins'],
      ['X_Groups', 'admins'],
      ['X.Groups', 'admins'],
      ['x-Groups', ''],
      ...attribution.flatMap((name) =>
        [name, name.toUpperCase(), name.replaceAll('-', '_')].map((each) => [each, 'root'] as const),
      ),
    ] as const
    const arrived = await withVerifier(policy, (verifierSocket) =>
      runWithGateway(
        (own) => start({ directory: own, verifierSocket, modelPort: model.port, terms: { names } }),
        async ({ url }) => {
          const ask = async (claims: Readonly<Record<string, unknown>>) => {
            const headers = [bearer(await issuer.sign(claims)), ...forged]
            const { status } = await sendRequest(url, { headers })
            return { status, headers: model.take().flatMap((request) => selectNamed(request.headers)) }
          }
          return {
            member: await ask({ ...person, groups: ['llm-users'], cost_center: 4711 }),
            guest: await ask({ ...person, groups: [] }),
          }
        },
      ),
    )
    const user = `x-user: ${people.dana.email}`
    expect(arrived).toEqual({
      member: {
        status: 200,
        headers: [
          'x-groups: llm-users',
          `x-litellm-customer-id: ${people.dana.email}`,
          `x-litellm-end-user-id: ${people.dana.email}`,
          'x-litellm-tags: team:research,cost-center:4711',
          user,
        ],
      },
      guest: { status: 200, headers: [user] },
    })
  },
)

/** The headers by which LiteLLM counts, of which the guest has none. */
const attribution = ['x-litellm-customer-id', 'x-litellm-end-user-id', 'x-litellm-tags']

/** Selects the headers that name a caller, in whatever spelling, where they have a value. */
function selectNamed(headers: readonly (readonly [name: string, value: string])[]): string[] {
  const normal = headers.map(([name, value]) => [name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-'), value] as const)
  return normal
    .filter(([name, value]) => ['x-user', 'x-groups', ...attribution].includes(name) && value !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .toSorted()
}

/** Renders two rules, of which one sets a header that the other does not. */
function renderPolicy(issuer: string): string {
  const own = { issuer, claims: { groups: ['llm-*'] } }
  return JSON.stringify({
    issuers: [{ issuer, audiences: [audience.jwt] }],
    maps: { teams: { names: { 'llm-users': 'research' }, unlisted: 'left out' } },
    rules: [
      {
        name: 'members',
        ...own,
        headers: {
          'x-user': '{email}',
          'x-groups': '{groups}',
          'x-litellm-customer-id': '{email}',
          'x-litellm-end-user-id': '{email}',
          'x-litellm-tags': 'team:{groups|teams},cost-center:{cost_center}',
        },
      },
      { name: 'guests', issuer, everyone: true, headers: { 'x-user': '{email}' } },
    ],
  })
}
