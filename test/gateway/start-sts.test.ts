import { request as startRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { createStsCaller, startSts } from '../../src/gateway/start-sts.ts'
import { verifyCallerIdentity } from '../../src/verify/aws/verify-caller-identity.ts'
import { parsePolicy } from '../../src/verify/policy/parse-policy.ts'
import { TokenRefusal } from '../../src/verify/verdict.ts'
import { encodeLogin, encodeUrl, type ProofParts, signLogin, signUrl } from '../stand-ins/caller-identity/sign-proof.ts'
import { createStsFetch } from '../stand-ins/caller-identity/sts-fetch.ts'

const now = Math.floor(Date.now() / 1000) * 1000
const audience = 'gateway.example'
const dana = createStsCaller('arn:aws:iam::111122223333:user/team/dana')
const build = createStsCaller('arn:aws:sts::111122223333:assumed-role/build/nightly')
const stranger = createStsCaller('arn:aws:iam::999988887777:user/eve')
const toKeys = ({ accessKeyId, secretAccessKey }: typeof dana) => ({
  accessKeyId,
  secretAccessKey: secretAccessKey.reveal(),
})

const lines: string[] = []
let url: string
beforeAll(async () => {
  const sts = await startSts({ callers: [dana, build], port: 0, now: () => now, onAnswer: (line) => lines.push(line) })
  url = sts.url
  return sts.close
})

const { policy } = parsePolicy(Buffer.from(JSON.stringify({ aws: { audience }, rules: [] })))
const terms = { trust: policy!.aws!, now, clockSkewSec: 60 }

/** Returns the identity that a proof belongs to, or the reason why the verifier refuses it. */
const verify = (token: string, at = now) =>
  verifyCallerIdentity(token, { ...terms, now: at, fetch: createStsFetch({ url }) }).then(
    ({ claims }) => claims,
    (thrown: unknown) => {
      if (!(thrown instanceof TokenRefusal)) throw thrown
      return thrown.note
    },
  )
const urlBy = async (parts: Partial<ProofParts>) =>
  encodeUrl(await signUrl({ credentials: toKeys(dana), audience, at: now, ...parts }))

const renderRefusal = (code: string, message: string) =>
  `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>trial</RequestId></ErrorResponse>`
const tooLong = renderRefusal('ValidationError', 'The body is too long for this stand-in')

describe('the stand-in for AWS STS', () => {
  test('says whose proof a URL is', async () => {
    expect([await verify(await urlBy({})), lines.at(-1)]).toEqual([
      { arn: dana.arn, account: '111122223333', user_id: 'AIDATRIAL', partition: 'aws' },
      `200 ${dana.arn}`,
    ])
  })

  test('says whose proof a signed login is', async () => {
    const login = await signLogin({ credentials: toKeys(build), audience, at: now, header: 'x-k8s-aws-id' })
    expect([await verify(encodeLogin(login)), lines.at(-1)]).toEqual([
      {
        arn: build.arn,
        account: '111122223333',
        user_id: 'AROATRIAL:nightly',
        partition: 'aws',
        role: 'build',
        session: 'nightly',
      },
      `200 ${build.arn}`,
    ])
  })

  /** Returns what the caller gets, and the last line of the log. */
  const refused = (code: string) => [`AWS STS answered HTTP 403, ${code}`, `403 ${code}`]
  test.each<[what: string, make: () => Promise<string>]>([
    [
      'another secret under a key that it knows',
      () => urlBy({ credentials: { ...toKeys(stranger), accessKeyId: dana.accessKeyId } }),
    ],
    ['another audience', () => urlBy({ audience: 'other.example' })],
    [
      'a session token that was never issued',
      () => urlBy({ credentials: { ...toKeys(dana), sessionToken: 'made-up' } }),
    ],
    [
      'a date that was changed',
      async () => {
        const signed = await signUrl({ credentials: toKeys(dana), audience, at: now - 60_000 })
        const date = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
        return encodeUrl(signed.replace(/X-Amz-Date=\w+/, `X-Amz-Date=${date}`))
      },
    ],
    [
      'a signature for the host of another region',
      async () =>
        encodeUrl((await signUrl({ credentials: toKeys(dana), audience, at: now })).replace('//sts.', '//sts-fips.')),
    ],
    [
      'a login whose signature was changed',
      async () => {
        const login = await signLogin({ credentials: toKeys(dana), audience, at: now, header: 'x-k8s-aws-id' })
        const authorization = String(login.headers.authorization).replace(/.$/, (last) => (last === '0' ? '1' : '0'))
        return encodeLogin({ ...login, headers: { ...login.headers, authorization } })
      },
    ],
  ])('refuses %s', async (_, make) => {
    expect([await verify(await make()), lines.at(-1)]).toEqual(refused('SignatureDoesNotMatch'))
  })

  test('refuses a key that it does not know', async () => {
    const token = await urlBy({ credentials: toKeys(stranger) })
    expect([await verify(token), lines.at(-1)]).toEqual(refused('InvalidClientTokenId'))
  })

  test.each<[what: string, offsetSec: number, message: string]>([
    ['later than fifteen minutes after its date', -900, 'Signature expired: DATE is too long ago'],
    ['more than five minutes before it', 301, 'Signature not yet current: DATE is in the future'],
  ])('refuses a good signature %s', async (_, offsetSec, message) => {
    const signed = await signUrl({ credentials: toKeys(dana), at: now + offsetSec * 1000 })
    const answer = await ask({ path: signed.slice(signed.indexOf('/?')), headers: { host: new URL(signed).host } })
    const xml = answer.xml.replace(/\d{8}T\d{6}Z/, 'DATE')
    expect([answer.status, xml]).toEqual([403, renderRefusal('SignatureDoesNotMatch', message)])
  })

  test.each<[what: string, sent: Parameters<typeof ask>[0], status: number, xml: string]>([
    [
      'no signature',
      { path: '/?Action=GetCallerIdentity&Version=2011-06-15' },
      403,
      renderRefusal('MissingAuthenticationToken', 'Request is missing Authentication Token'),
    ],
    ['a long body', { path: '/', method: 'POST', body: 'x'.repeat(1025) }, 400, tooLong],
    [
      'a body of unknown length',
      { path: '/', method: 'POST', body: 'x', headers: { 'transfer-encoding': 'chunked' } },
      400,
      tooLong,
    ],
  ])('refuses %s', async (_, sent, status, xml) => {
    const answer = await ask(sent)
    expect([answer.status, answer.xml]).toEqual([status, xml])
  })

  test('answers only the question who asks', async () => {
    const signed = await signUrl({ credentials: toKeys(dana), at: now })
    const path = signed.slice(signed.indexOf('/?')).replace('GetCallerIdentity', 'AssumeRole')
    expect((await ask({ path, headers: { host: new URL(signed).host } })).xml).toBe(
      renderRefusal('InvalidAction', 'This stand-in answers GetCallerIdentity alone'),
    )
  })
})

function ask({
  body = '',
  ...options
}: {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}) {
  const { hostname, port } = new URL(url)
  return new Promise<{ status: number; xml: string }>((resolve, reject) => {
    startRequest({ hostname, port, ...options }, async (response) =>
      resolve({ status: response.statusCode ?? 0, xml: await text(response) }),
    )
      .once('error', reject)
      .end(body)
  })
}
