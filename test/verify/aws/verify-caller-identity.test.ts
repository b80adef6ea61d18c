import { beforeAll, describe, expect, test } from 'vitest'
import type { Fetch } from '../../../src/runtime/network/network-fetch.ts'
import { verifyCallerIdentity } from '../../../src/verify/aws/verify-caller-identity.ts'
import type { AwsTrust } from '../../../src/verify/policy/policy.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'
import { type AwsStandIn, startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'
import { encodeLogin, encodeUrl, signLogin, signUrl } from '../../stand-ins/caller-identity/sign-proof.ts'
import { createStsFetch } from '../../stand-ins/caller-identity/sts-fetch.ts'
import { type Front, startFront } from '../../stand-ins/front/front.ts'
import { audience, trust } from './outcome.ts'

const user = 'arn:aws:iam::111122223333:user/a/path/dev'
const session = 'arn:aws:sts::444455556666:assumed-role/build/dana@corp.example'
const now = Math.floor(Date.now() / 1000) * 1000

let aws: AwsStandIn
let front: Front
let keys: ReturnType<AwsStandIn['addAccessKey']>
beforeAll(async () => {
  aws = await startAwsStandIn()
  front = await startFront(aws.url)
  keys = aws.addAccessKey({ arn: user })
  return async () => {
    await front[Symbol.asyncDispose]()
    await aws.close()
  }
})

/** Returns the identity, or why the proof is refused, with what the caller and the operator are told. */
async function verify(
  token: string,
  { changes = {}, fetch = createStsFetch(front) }: { changes?: Partial<AwsTrust>; fetch?: Fetch } = {},
) {
  try {
    return await verifyCallerIdentity(token, { trust: { ...trust, ...changes }, now, clockSkewSec: 30, fetch })
  } catch (refusal) {
    if (!(refusal instanceof TokenRefusal)) throw refusal
    return [refusal.reason, refusal.detail, refusal.note]
  }
}

const prove = async (parts: Partial<Parameters<typeof signUrl>[0]> = {}) =>
  encodeUrl(await signUrl({ credentials: keys, audience, at: now, ...parts }))
const host = 'sts.eu-central-1.amazonaws.com'

describe('AWS STS names the owner of a proof', () => {
  test('that a user signed as a URL', async () => {
    const token = await prove()
    expect(await verify(token)).toEqual({
      kind: 'aws-identity',
      issuer: host,
      subject: user,
      claims: { arn: user, account: '111122223333', user_id: 'AIDAB57F1CBC5C99DEB23', partition: 'aws' },
      issuedAt: now,
      expiresAt: now + 900_000,
      useKey: `aws ${Buffer.from(token.slice(11), 'base64url').toString().slice(-64)}`,
    })
  })

  test('that the session of a role signed with temporary credentials', async () => {
    const credentials = aws.addAccessKey({ arn: session, sessionToken: 'a+/=', accessKeyId: 'ASIASTANDIN000000077' })
    expect(await verify(await prove({ credentials }), { changes: { longestAgeSec: 60 } })).toEqual({
      kind: 'aws-identity',
      issuer: host,
      issuedAt: now,
      useKey: expect.any(String),
      subject: session,
      claims: {
        arn: session,
        account: '444455556666',
        partition: 'aws',
        role: 'build',
        session: 'dana@corp.example',
        user_id: 'AROA053C30ECA84DF481F:dana@corp.example',
      },
      expiresAt: now + 60_000,
    })
  })

  test('that a user signed as a login of Vault', async () => {
    const login = encodeLogin(await signLogin({ credentials: keys, audience, at: now }))
    const own = encodeLogin(await signLogin({ credentials: keys, audience, at: now, header: 'x-k8s-aws-id' }))
    const found = await Promise.all([verify(login), verify(own)])
    const identity = {
      issuer: 'sts.amazonaws.com',
      subject: user,
      expiresAt: now + 900_000,
      kind: 'aws-identity',
      claims: {
        arn: 'arn:aws:iam::111122223333:user/a/path/dev',
        account: '111122223333',
        user_id: 'AIDAB57F1CBC5C99DEB23',
        partition: 'aws',
      },
      issuedAt: expect.any(Number),
      useKey: expect.any(String),
    }
    expect({ found, uses: new Set(found.map((each) => Object(each).useKey)).size }).toEqual({
      found: [identity, identity],
      uses: 2,
    })
  })
})

test('a proof is used up in every spelling', async () => {
  const url = await signUrl({ credentials: keys, audience, at: now })
  const [start, query = ''] = url.split('?')
  const reordered = `${start}?${query.split('&').reverse().join('&')}`
  const login = await signLogin({ credentials: keys, audience, at: now })
  const respelled = Object.fromEntries(
    Object.entries(login.headers).map(([name, value]) => [name.toUpperCase(), [value]]),
  )
  const keysOf = async (...tokens: string[]) =>
    (await Promise.all(tokens.map((token) => verify(token)))).map((found) => Object(found).useKey)
  const [first, ...others] = await keysOf(encodeUrl(url), encodeUrl(reordered), encodeUrl(url.replaceAll('%3B', '%3b')))
  expect(others).toEqual([first, first])
  const [one, two] = await keysOf(encodeLogin(login), encodeLogin({ ...login, headers: respelled }))
  const signature = String(login.headers.authorization).slice(-64)
  expect([one, two]).toEqual([`aws ${signature}`, `aws ${signature}`])
})

describe('AWS STS refuses', () => {
  const mismatch = 'AWS STS says that its signature does not hold: it is for another audience, or was changed'
  test.each<[what: string, make: () => Promise<string>, detail: string, code: string]>([
    ['a proof for another audience', () => prove({ audience: 'other.example' }), mismatch, 'SignatureDoesNotMatch'],
    [
      'a proof whose signature was changed',
      async () => encodeUrl((await signUrl({ credentials: keys, audience, at: now })).replace(/.{4}$/, '0000')),
      mismatch,
      'SignatureDoesNotMatch',
    ],
    [
      'a login whose date was changed',
      async () => {
        const login = await signLogin({ credentials: keys, audience, at: now - 2000 })
        const date = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
        return encodeLogin({ ...login, headers: { ...login.headers, 'x-amz-date': date } })
      },
      mismatch,
      'SignatureDoesNotMatch',
    ],
    [
      'keys that nobody has',
      () => prove({ credentials: { accessKeyId: 'AKIANOBODY0000000000', secretAccessKey: 'x' } }),
      'AWS STS says that it does not know the credentials that signed it',
      'InvalidClientTokenId',
    ],
    [
      'credentials that have ended',
      () =>
        prove({
          credentials: aws.addAccessKey({
            arn: user,
            accessKeyId: 'ASIAENDED00000000001',
            expiration: new Date(now - 1),
          }),
        }),
      'AWS STS says that the proof, or the credentials that signed it, have expired',
      'ExpiredToken',
    ],
  ])('%s', async (_, make, detail, code) => {
    expect(await verify(await make())).toEqual(['aws-refused', detail, `AWS STS answered HTTP 403, ${code}`])
  })

  test('no proof while it is busy', async () => {
    aws.failNext('GetCallerIdentity', { kind: 'error', code: 'Throttling', status: 400 })
    aws.failNext('GetCallerIdentity', { kind: 'error', code: 'InternalFailure', status: 500 })
    const token = await prove()
    expect([await verify(token), await verify(token)]).toEqual([
      ['aws-unavailable', undefined, 'AWS STS answered HTTP 400, Throttling'],
      ['aws-unavailable', undefined, `${host} answered HTTP 500`],
    ])
  })
})

describe('an answer in place of AWS STS', () => {
  const who = 'find out what answers in place of AWS STS'
  const good = `<Arn>${user}</Arn><UserId>x</UserId><Account>111122223333</Account>`
  const answered = (status: number, what = 'something that is not an answer of AWS STS') =>
    `${host} answered HTTP ${status} with ${what}: ${who}`
  test.each<[what: string, behaviour: Parameters<Front['behave']>[0], note: string]>([
    [
      'redirects',
      { status: 302, headers: { location: `${'https'}://evil.example/`, 'content-type': 'text/xml' } },
      answered(302, 'a redirect'),
    ],
    [
      'has a page with an ARN in it',
      { status: 200, headers: { 'content-type': 'text/xml' }, body: `<html>${good}</html>` },
      answered(200),
    ],
    ['refuses in its own words', { status: 403, headers: { 'content-type': 'text/html' }, body: 'no' }, answered(403)],
    [
      'has an error with status 200',
      { status: 200, headers: { 'content-type': 'application/json' }, body: '{"Error":{"Code":"X"}}' },
      answered(200),
    ],
    ['has no end', 'endless', `${host} answered HTTP 200 (text/xml) with more than 16 KiB`],
    ['breaks off', 'truncate', `${host} cannot be reached (ECONNRESET)`],
    ['is gone', 'reset', `${host} cannot be reached (ECONNRESET)`],
  ])('is not believed where it %s', async (_, behaviour, note) => {
    front.behave(behaviour)
    const requests = front.requests
    const found = await verify(await prove())
    front.behave('forward')
    expect([found, front.requests - requests]).toEqual([['aws-unavailable', undefined, note], 1])
  })

  test('is refused where it names a caller of another partition', async () => {
    const chinese = aws.addAccessKey({
      arn: 'arn:aws-cn:iam::111122223333:user/dev',
      accessKeyId: 'AKIACHINA00000000001',
    })
    expect(await verify(await prove({ credentials: chinese }))).toEqual([
      'aws-unavailable',
      undefined,
      `${host} is of aws, and answered with a caller of aws-cn`,
    ])
  })

  test('does not stand for a defect, which is thrown as it is', async () => {
    const fetch: Fetch = () => Promise.reject(new TypeError('broken'))
    await expect(prove().then((token) => verify(token, { fetch }))).rejects.toThrow(new TypeError('broken'))
  })
})

test('nothing is sent of a proof that fails a check', async () => {
  const sent: unknown[] = []
  const fetch: Fetch = (url, { method, headers, body, redirect }) => {
    sent.push({ url, method, headers, body, redirect })
    return createStsFetch(front)(url, { method: method!, headers: headers!, ...(body && { body }) })
  }
  const url = await signUrl({ credentials: keys, audience, at: now })
  await verify(encodeUrl(url.replace(host, 'sts.evil.example')), { fetch })
  await verify(encodeUrl(url), { fetch })
  const login = await signLogin({ credentials: keys, audience, at: now })
  await verify(encodeLogin({ ...login, headers: { ...login.headers, 'user-agent': 'tool/1' } }), { fetch })
  const json = { accept: 'application/json' }
  const { host: _, ...headers } = login.headers
  expect(sent).toEqual([
    { url, method: 'GET', headers: { ...json, 'x-k8s-aws-id': audience }, body: undefined, redirect: 'manual' },
    {
      url: 'https://sts.amazonaws.com/',
      method: 'POST',
      body: login.body,
      redirect: 'manual',
      headers: {
        ...json,
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      },
    },
  ])
})
