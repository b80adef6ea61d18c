import { expect, onTestFinished, test } from 'vitest'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { createStreamFetch } from '../../../src/runtime/network/stream-fetch.ts'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import type { JwtTrust } from '../../../src/verify/policy/policy.ts'
import { audience } from '../../stand-ins/identity/identity-provider.ts'
import { type OidcIssuer, startOidcIssuer } from '../../stand-ins/provider/workload-issuer.ts'
import { createTrust } from './issuer.ts'
import { createVerdict } from './verdict.ts'

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
const fetch = createStreamFetch({ network, silenceSec: 5 })

test('an access token of oidc-provider (RFC 9068) is accepted with discovered keys', async () => {
  const issuer = await startOidcIssuer()
  onTestFinished(() => issuer[Symbol.asyncDispose]())
  const token = await fetchAccessToken(issuer)
  const trust = createTrust([], {
    issuer: issuer.issuer,
    keys: 'discovered',
    audiences: [audience],
    types: ['at+jwt'],
    longestLifeSec: 86_400,
    longestAgeSec: 60,
  })
  const verdict = (changes: Partial<JwtTrust>) => createVerdict([{ ...trust, ...changes }], fetch, Date.now())(token)
  expect([
    await verdict({}),
    await verdict({ keys: { url: issuer.jwksUrl } }),
    await verdict({ audiences: ['https://other.example'] }),
    await verdict({ types: ['JWT'] }),
    await verdict({ issuer: `${issuer.issuer}/` }),
    await verdict({ keys: { url: issuer.tokenUrl } }),
    await verdict({ longestLifeSec: 3600 }),
  ]).toEqual(['accepted', 'accepted', 'audience', 'unknown-kind', 'issuer', 'keys-unavailable', 'too-old'])
})

test('the keys of an issuer are fetched before a token needs them, and forgotten when the policy no longer names it', async () => {
  const issuer = await startOidcIssuer()
  onTestFinished(() => issuer[Symbol.asyncDispose]())
  const keys = createIssuerKeys({ fetch, now: Date.now })
  await keys.prepare([createTrust([], { issuer: issuer.issuer, keys: 'discovered' })])
  expect(keys.states()).toEqual([
    {
      issuer: issuer.issuer,
      standing: 'fresh',
      keys: 1,
      unused: [],
      fetchedAt: expect.any(Number),
    },
  ])
  await keys.prepare([])
  expect(keys.states()).toEqual([])
})

async function fetchAccessToken({ tokenUrl, client: { id, secret } }: OidcIssuer): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const body = new URLSearchParams({ grant_type: 'client_credentials', resource: audience })
  const answer = await globalThis.fetch(tokenUrl, { method: 'POST', headers: { authorization }, body })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return token
}
