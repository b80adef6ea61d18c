import { beforeAll, describe, expect, test } from 'vitest'
import { examineProof, parseProof } from '../../../src/verify/aws/parse-proof.ts'
import { encodeLogin, type OpenLogin, signLogin } from '../../stand-ins/caller-identity/sign-proof.ts'
import { audience, credentials, findOutcome, noon, trust } from './outcome.ts'

let login: OpenLogin
beforeAll(async () => {
  login = await signLogin({ credentials, audience, at: noon })
})

const base64 = (text: string) => Buffer.from(text).toString('base64')
const ofVault = 'X-Vault-AWS-IAM-Server-ID'
const path = 'malformed path: the path is not / alone'
const action = 'malformed action: the body is not Action=GetCallerIdentity&Version=2011-06-15 in base64'
const fields = 'malformed login: it is not the four fields of a login, as JSON'
const encoding = 'malformed encoding: it is not base64 as an encoder writes it'
const otherAudience = `audience audience: its audience is another one than ${audience}`

test('a login is taken apart into the request that is sent to AWS STS, with only the signed headers', () => {
  const unsigned = { 'User-Agent': ['tool/1'], Accept: 'text/plain' }
  const token = encodeLogin({ ...login, headers: { ...login.headers, ...unsigned } })
  const { authorization, 'x-amz-content-sha256': digest } = login.headers
  expect(parseProof(token, { trust, now: noon, clockSkewSec: 30 })).toEqual({
    form: 'vault',
    host: 'sts.amazonaws.com',
    partition: 'aws',
    request: {
      method: 'POST',
      url: 'https://sts.amazonaws.com/',
      body: login.body,
      headers: {
        accept: 'application/json',
        authorization,
        'x-vault-aws-iam-server-id': audience,
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        'x-amz-date': '20260115T120000Z',
        ...(digest !== undefined && { 'x-amz-content-sha256': digest }),
      },
    },
    signedAt: noon,
    accessKeyId: 'AKIASTANDIN000000001',
    expiresAt: noon + 900_000,
    signature: String(authorization).slice(-64),
  })
})

test('every check is listed by its name, also after one that fails', () => {
  const token = encodeLogin({ ...login, method: 'GET', url: 'https://evil.example/', headers: { authorization: 'x' } })
  const listed = examineProof(token, { trust, now: noon, clockSkewSec: 30 })
  expect(listed.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    ...['size pass', 'encoding pass', 'login pass', 'method fail', 'url pass', 'https pass', 'host fail', 'path pass'],
    ...['action pass', 'headers pass', 'audience fail', 'algorithm fail', 'signature form fail'],
    ...['credential scope skipped', 'signed headers fail', 'signed values pass', 'date fail'],
    ...['not before skipped', 'expiry skipped', 'age skipped'],
  ])
})

describe('the fields', () => {
  test.each<[what: string, edit: (good: OpenLogin) => Partial<OpenLogin>, outcome: string]>([
    ['GET', () => ({ method: 'GET' }), 'malformed method: the method is not POST'],
    ['post', () => ({ method: 'post' }), 'malformed method: the method is not POST'],
    ['no URL', () => ({ url: 'x' }), 'malformed url: iam_request_url is not a URL in base64'],
    ['an empty URL', () => ({ url: '' }), 'malformed url: iam_request_url is not a URL in base64'],
    ['http', () => ({ url: 'http://sts.amazonaws.com/' }), 'malformed https: the address does not begin with https://'],
    [
      'a host of others',
      () => ({ url: 'https://evil.example/' }),
      'host host: evil.example is not a host of AWS STS in aws',
    ],
    [
      'another host of AWS STS',
      () => ({ url: 'https://sts.eu-west-1.amazonaws.com/' }),
      'malformed headers: the header host names another host than the URL',
    ],
    [
      'a user',
      () => ({ url: 'https://a@sts.amazonaws.com/' }),
      'host host: what stands in place of the host is not a host of AWS STS in aws',
    ],
    ['a path', () => ({ url: 'https://sts.amazonaws.com/x' }), path],
    ['a query', ({ url }) => ({ url: `${url}?Action=AssumeRole` }), path],
    ['an empty query', ({ url }) => ({ url: `${url}?` }), path],
    ['a fragment', ({ url }) => ({ url: `${url}#` }), path],
    ['another action', ({ body }) => ({ body: body.replace('GetCallerIdentity', 'AssumeRole') }), action],
    ['two actions', ({ body }) => ({ body: `${body}&Action=AssumeRole` }), action],
    ['another order', () => ({ body: 'Version=2011-06-15&Action=GetCallerIdentity' }), action],
    ['a line break', ({ body }) => ({ body: `${body}\r\n` }), action],
  ])('refuse %s', (_, edit, outcome) => {
    expect(findOutcome(encodeLogin({ ...login, ...edit(login) }))).toBe(outcome)
  })

  test('may name no path at all, which is the same request', () => {
    expect(findOutcome(encodeLogin({ ...login, url: 'https://sts.amazonaws.com' }))).toBe('passes')
  })

  test.each<[what: string, change: (token: string) => string, outcome: string]>([
    ['a field more', (token) => change(token, (text) => text.replace('{"', '{"iam_role":"admin","')), fields],
    [
      'a field twice',
      (token) => change(token, (text) => text.replace('{"', '{"iam_http_request_method":"GET","').trimEnd()),
      fields,
    ],
    ['a field that is no text', (token) => change(token, (text) => text.replace('"POST"', '["POST"]')), fields],
    ['no JSON', (token) => change(token, (text) => text.trimEnd().slice(0, -1)), fields],
    ['no padding', (token) => token.replace(/=*$/, ''), encoding],
    ['base64url', (token) => change(token, (text) => `${text}  `).replace(/.$/, '-'), encoding],
    ['a line break', (token) => `${token}\n`, encoding],
    ['too many bytes', (token) => token.padEnd(8193, 'A'), 'malformed size: it has 8193 bytes, above 8192'],
    [
      'a prefix, which no login has',
      (token) => `k8s-aws-v1.${token}`,
      'malformed encoding: it is not base64url as an encoder writes it, without padding',
    ],
  ])('refuse %s', (_, edit, outcome) => {
    // Long enough that base64 ends in padding.
    const token = change(encodeLogin(login), (text) => text.padEnd(text.length + (4 - (text.length % 3)), ' '))
    expect([findOutcome(token), findOutcome(edit(token))]).toEqual(['passes', outcome])
  })
})

function change(token: string, edit: (text: string) => string): string {
  return base64(edit(Buffer.from(token, 'base64').toString()))
}

describe('the headers', () => {
  const foreign = (name: string) => `malformed headers: the header ${name} does not belong to a login`
  const twice = `malformed headers: the header ${ofVault.toLowerCase()} is there more than once`
  const unsendable = (name: string) => `malformed headers: the header ${name} has a value that cannot be sent`
  const brokenName = 'malformed headers: the name of a header is malformed'
  const unsigned = `audience audience: the header ${ofVault.toLowerCase()} is not signed, which names the audience`
  test.each<[what: string, headers: Record<string, unknown>, outcome: string]>([
    ['one that AWS would obey', { 'X-Amz-Target': 'Other' }, foreign('x-amz-target')],
    ['one that ends the request early', { 'Transfer-Encoding': 'chunked' }, foreign('transfer-encoding')],
    ['one of the connection', { Connection: 'upgrade' }, foreign('connection')],
    ['a cookie', { Cookie: 'a=b' }, foreign('cookie')],
    ['another host', { host: 'evil.example' }, 'malformed headers: the header host names another host than the URL'],
    [
      'another length',
      { 'Content-Length': '7' },
      'malformed headers: the header content-length is not the length of the body',
    ],
    [
      'another type',
      { 'content-type': 'application/x-amz-json-1.1' },
      'malformed headers: the header content-type is not that of a form',
    ],
    ['a line break', { [ofVault]: `${audience}\r\nX-Admin: 1` }, unsendable(ofVault.toLowerCase())],
    ['a letter beyond ASCII', { Accept: 'é' }, unsendable('accept')],
    ['a number', { Accept: 5 }, unsendable('accept')],
    ['no value', { Accept: [] }, unsendable('accept')],
    ['a name with a line break', { 'Accept\r\nX': 'x' }, brokenName],
    ['an underscore in a name', { X_Amz_Date: 'x' }, brokenName],
    ['two values', { [ofVault]: [audience, 'other'] }, twice],
    ['two spellings', { [ofVault]: audience, [ofVault.toLowerCase()]: audience }, twice],
    ['another audience', { [ofVault]: 'other.example' }, otherAudience],
    ['an audience that only begins so', { [ofVault]: `${audience}.evil` }, otherAudience],
    ['a second audience in the header of the policy', { 'x-k8s-aws-id': 'other.example' }, otherAudience],
    [
      'a second header of the same audience, unsigned',
      { 'x-k8s-aws-id': audience },
      'audience audience: the header x-k8s-aws-id is not signed, which names the audience',
    ],
    [
      'no date',
      { 'x-amz-date': 'yesterday' },
      'malformed credential scope: the credential is for another day than the date of the request',
    ],
    [
      'a session token that is not signed',
      { 'X-Amz-Security-Token': 'x' },
      'malformed signed values: the header x-amz-security-token is not signed',
    ],
  ])('refuse %s', (_, headers, outcome) => {
    expect(outcomeWith(headers)).toBe(outcome)
  })

  test('may state the right length', () => {
    expect(outcomeWith({ 'Content-Length': '43' })).toBe('passes')
  })

  test.each<[what: string, edit: (authorization: string) => string, outcome: string]>([
    ['an audience that is not signed', (text) => text.replace(';x-vault-aws-iam-server-id', ''), unsigned],
    [
      'a signed header that is missing',
      (text) => text.replace('host;', 'accept;host;'),
      'malformed signed values: the header accept is signed, and not there',
    ],
    [
      'a date that is not signed',
      (text) => text.replace('x-amz-date;', ''),
      'malformed signed values: the header x-amz-date is not signed',
    ],
    ['host not signed', (text) => text.replace('host;', ''), 'malformed signed headers: the header host is not signed'],
    [
      'another algorithm',
      (text) => text.replace('HMAC-SHA256', 'ECDSA-P256-SHA256'),
      'algorithm algorithm: the request is not signed by AWS4-HMAC-SHA256',
    ],
    [
      'another scope',
      (text) => text.replace('us-east-1', 'eu-west-1'),
      'malformed credential scope: the request is signed for eu-west-1, but its host is in us-east-1',
    ],
    [
      'another service',
      (text) => text.replace('/sts/', '/iam/'),
      'malformed credential scope: the request is signed for iam, not for sts',
    ],
    ['two signatures', (text) => `${text}, Signature=${'0'.repeat(64)}`, unsigned],
  ])('refuse, in the signature, %s', (_, edit, outcome) => {
    expect(outcomeWith({ authorization: edit(String(login.headers.authorization)) })).toBe(outcome)
  })

  function outcomeWith(changes: Record<string, unknown>): string {
    const replaced = Object.keys(changes).map((name) => name.toLowerCase())
    const kept = Object.entries(login.headers).filter(([name]) => !replaced.includes(name.toLowerCase()))
    return findOutcome(encodeLogin({ ...login, headers: { ...Object.fromEntries(kept), ...changes } }))
  }

  test('a login without an audience passes only where none is wanted', async () => {
    const bare = encodeLogin(await signLogin({ credentials, at: noon }))
    expect({
      bare: findOutcome(bare),
      bareWithoutAudience: findOutcome(bare, { audience: 'none' }),
      namedWithoutAudience: findOutcome(encodeLogin(login), { audience: 'none' }),
    }).toEqual({
      bare: 'audience audience: it has no header x-k8s-aws-id with its audience',
      bareWithoutAudience: 'passes',
      namedWithoutAudience: 'audience audience: it names an audience, and none is accepted here',
    })
  })

  test.each([
    [899, 'passes'],
    [900, 'expired expiry: it was signed 900 s ago, and AWS STS accepts it for 900 s'],
    [-31, 'not-yet-valid not before: it was signed 31 s from now: compare the clocks'],
  ])('the time comes from the header, here %i s ago', (ageSec, outcome) => {
    expect(findOutcome(encodeLogin(login), {}, noon + ageSec * 1000)).toBe(outcome)
  })
})
