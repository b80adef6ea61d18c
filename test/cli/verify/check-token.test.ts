import { expect, test } from 'vitest'
import { checkToken, type TokenTerms } from '../../../src/cli/verify/check-token.ts'
import { describeToken } from '../../../src/cli/verify/describe-token.ts'
import { summarizeChecks } from '../../../src/cli/verify/token-check.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import type { Fetch } from '../../../src/runtime/network/network-fetch.ts'
import { encodeLogin, encodeUrl, signLogin, signUrl } from '../../stand-ins/caller-identity/sign-proof.ts'
import { createTestKey, goodClaims, now, signClaims } from '../../verify/jwt/issuer.ts'

const nothing: TokenTerms = {
  issuer: undefined,
  audiences: [],
  audienceHeader: undefined,
  keys: undefined,
  sts: 'not asked',
  policy: undefined,
}
const key = await createTestKey('ES256')
const other = await createTestKey('ES256', 'other')
const good = await signClaims(key)
const { iss, aud } = goodClaims
const pages: Readonly<Record<string, object>> = {
  [`${iss}/.well-known/openid-configuration`]: { issuer: iss, jwks_uri: `${iss}/keys` },
  [`${iss}/keys`]: { keys: [key.jwk] },
}

/** Returns the outcome of every check that is not met, with the addresses that were asked, without their queries. */
async function check(token: string, terms: Partial<TokenTerms>, answer?: Fetch) {
  const asked: string[] = []
  const fetch: Fetch = async (url, init) => {
    asked.push(url)
    const page = pages[url]
    return page ? Response.json(page) : (answer?.(url, init) ?? new Response('no', { status: 404 }))
  }
  const { checks, facts } = await checkToken(token, describeToken(token), { ...nothing, ...terms }, { now, fetch })
  const open = checks.filter(({ status }) => status !== 'met')
  return {
    verdict: summarizeChecks(checks),
    open: open.map(({ name, status }) => `${name}: ${status}`),
    asked: asked.map((url) => url.replace(/\?.*/s, '')),
    facts: facts.map(({ value }) => value),
  }
}

const discovery = Object.keys(pages)
const open = ['issuer: not asked', 'audience: not asked', 'key: not asked', 'signature: not asked']
const unkeyed = ['type: unknown', 'key: unknown', 'signature: unknown']

test.each<
  [what: string, token: string, terms: Partial<TokenTerms>, verdict: string, checks: string[], asked: string[]]
>([
  ['nothing is named', good, {}, 'not judged', ['signature: not asked'], []],
  ['its issuer and audience are named', good, { issuer: iss, audiences: ['x', aud] }, 'good', [], discovery],
  ['its issuer is named alone', good, { issuer: iss }, 'not judged', ['audience: not asked'], discovery],
  [
    'its audience is named alone',
    good,
    { audiences: [aud] },
    'not judged',
    open.filter((line) => !line.startsWith('audience')),
    [],
  ],
  ['it is for another audience', good, { issuer: iss, audiences: ['x'] }, 'bad', ['audience: unmet'], discovery],
  [
    'it is of another issuer',
    good,
    { issuer: `${iss}/` },
    'bad',
    ['issuer: unmet', ...unkeyed, 'audience: not asked'],
    [],
  ],
  [
    'its issuer is on this network',
    await signClaims(key, { iss: 'http://169.254.169.254' }),
    { issuer: iss },
    'bad',
    ['issuer: unmet', ...unkeyed, 'audience: not asked'],
    [],
  ],
  [
    'its issuer is on this network, and nothing is named',
    await signClaims(key, { iss: 'http://169.254.169.254' }, { jku: 'http://10.0.0.1' }),
    { audiences: [aud] },
    'not judged',
    open.filter((line) => !line.startsWith('audience')),
    [],
  ],
  [
    'keys are given',
    good,
    { keys: { inline: { keys: [key.jwk] } }, audiences: [aud] },
    'not judged',
    ['issuer: not asked'],
    [],
  ],
  [
    'another key is given',
    good,
    { issuer: iss, keys: { inline: { keys: [{ ...other.jwk, kid: key.kid }] } }, audiences: [aud] },
    'bad',
    ['signature: unmet'],
    [],
  ],
  [
    'its key is not published',
    await signClaims(other),
    { issuer: iss, audiences: [aud] },
    'bad',
    ['key: unmet', 'signature: unknown'],
    [...discovery, ...discovery],
  ],
  [
    'its keys are not there',
    good,
    { issuer: iss, keys: { url: 'https://away.example/' }, audiences: [aud] },
    'not found out',
    ['key: unknown', 'signature: unknown'],
    ['https://away.example/'],
  ],
  [
    'it was changed',
    good.replace(/\.[^.]+\./, '.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUifQ.'),
    { issuer: iss },
    'bad',
    ['signature: unmet', 'subject: unmet', 'audience: not asked', 'expiry: unmet'],
    discovery,
  ],
  [
    'it is no JWT',
    'opaque',
    { issuer: iss, audiences: ['x'], sts: 'asked' },
    'bad',
    ['issuer: unmet', 'sts: unmet', 'audience: unmet', 'signature: not asked'],
    [],
  ],
  ['it is damaged', 'eyJhbGciOiJFUzI1NiJ9.e30', { audiences: ['x'] }, 'bad', ['audience: unmet', 'form: unmet'], []],
  [
    'it has expired, and nothing is named',
    await signClaims(key, { exp: now / 1000 - 90 }),
    {},
    'bad',
    ['expiry: unmet', 'signature: not asked'],
    [],
  ],
])('the checks of a token are those that were asked for: %s', async (_what, token, terms, verdict, open, asked) => {
  expect(await check(token, terms)).toEqual({ verdict, open, asked, facts: [] })
})

const credentials = { accessKeyId: 'ASIAIOSFODNN7EXAMPLE', secretAccessKey: 'canary', sessionToken: 'canary' }
const parts = { credentials, at: now, audience: 'gateway' }
const url = encodeUrl(await signUrl(parts))
const login = encodeLogin(await signLogin(parts))
const foreign = encodeUrl((await signUrl(parts)).replace('.amazonaws.com', '.evil.example'))
const arn = 'arn:aws:sts::111122223333:assumed-role/build/dana'
const caller = { Arn: arn, Account: '111122223333', UserId: 'AROAEXAMPLE:dana' }
const sts: Fetch = async () => Response.json({ GetCallerIdentityResponse: { GetCallerIdentityResult: caller } })
const refused: Fetch = async () =>
  Response.json({ Error: { Code: 'SignatureDoesNotMatch', Message: 'canary' } }, { status: 403 })
const learnt = [arn, '111122223333', 'AROAEXAMPLE:dana', 'aws', 'build', 'dana']
const regional = 'https://sts.eu-central-1.amazonaws.com/'
const global = 'https://sts.amazonaws.com/'
const away: Fetch = async () => new Response('', { status: 503 })
const asking = (...audiences: string[]): Partial<TokenTerms> => ({ sts: 'asked', audiences })

test.each<[what: string, token: string, terms: Partial<TokenTerms>, seen: object, answer?: Fetch]>([
  ['nothing is named', url, {}, { verdict: 'not judged', open: ['audience: not asked', 'sts: not asked'] }],
  ['AWS STS is asked', url, asking('gateway'), { verdict: 'good', asked: [regional], facts: learnt }],
  ['a login is AWS STS asked', login, asking('x', 'gateway'), { verdict: 'good', asked: [global], facts: learnt }],
  [
    'a login behind a prefix',
    `corp/${login}`,
    asking(),
    { verdict: 'not judged', open: ['audience: not asked'], asked: [global], facts: learnt },
  ],
  ['a login for another', login, asking('other'), { verdict: 'bad', open: ['audience: unmet', 'sts: unknown'] }],
  ['no audience is named', url, asking(), { verdict: 'not found out', open: ['audience: not asked', 'sts: unknown'] }],
  [
    'another header is named',
    url,
    { ...asking('gateway'), audienceHeader: 'X-Other' },
    { verdict: 'bad', open: ['audience: unmet', 'sts: unknown'] },
  ],
  [
    'the host is foreign',
    foreign,
    asking('gateway'),
    { verdict: 'bad', open: ['host: unmet', 'credential scope: unknown', 'sts: unknown'] },
  ],
  ['AWS STS refuses it', url, asking('other'), { verdict: 'bad', open: ['sts: unmet'], asked: [regional] }, refused],
  [
    'AWS STS is away',
    url,
    asking('gateway'),
    { verdict: 'not found out', open: ['sts: unknown'], asked: [regional] },
    away,
  ],
  [
    'an issuer is named',
    url,
    { issuer: iss },
    { verdict: 'bad', open: ['issuer: unmet', 'audience: not asked', 'sts: not asked'] },
  ],
])(
  'the checks of a proof of an AWS identity are those that were asked for: %s',
  async (_what, token, terms, seen, answer = sts) => {
    expect(await check(token, terms, answer)).toEqual({ open: [], asked: [], facts: [], ...seen })
  },
)

test.each<[what: string, answer: Fetch, message: string, rest: object]>([
  [
    'refuses it',
    refused,
    'AWS STS says that its signature does not hold: it is for another audience, or was changed',
    {
      status: 'unmet',
      reason: 'aws-refused',
      hint: 'make a new proof, with credentials that AWS accepts; compare the audience with the one that was signed',
    },
  ],
  [
    'is away',
    away,
    'sts.eu-central-1.amazonaws.com answered HTTP 503',
    { status: 'unknown', reason: 'aws-unavailable', hint: 'check the network and the proxy, and try again' },
  ],
])('the check of AWS STS says in a sentence that it %s', async (_what, fetch, message, rest) => {
  const terms: TokenTerms = { ...nothing, ...asking('gateway') }
  const { checks } = await checkToken(url, describeToken(url), terms, { now, fetch })
  expect(checks.at(-1)).toEqual({ name: 'sts', message, ...rest })
})

test('a proof that is a URL does not say which of two audiences is its own', async () => {
  await expect(check(url, asking('a', 'b'))).rejects.toThrow(
    new HelperError(
      'usage',
      'a proof that is a URL does not say which audience is its own',
      'pass an audience with --audience',
    ),
  )
})
