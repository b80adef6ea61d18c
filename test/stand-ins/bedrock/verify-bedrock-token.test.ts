import { HttpRequest } from '@smithy/core/protocols'
import { Hash } from '@smithy/core/serde'
import { SignatureV4 } from '@smithy/signature-v4'
import { describe, expect, test } from 'vitest'
import { runBundle } from '../../setup/run-bundle.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type SigningKey, verifyQuerySignature } from './sigv4-verify.ts'
import { verifyBedrockToken } from './verify-bedrock-token.ts'

const keys: Record<string, SigningKey> = {
  AKIAGATEWAYTEST00001: { secretAccessKey: 'a+secret/of40characters0000000000000000a' },
  ASIAGATEWAYTEST00002: { secretAccessKey: 'another+secret/of40characters000000000000', sessionToken: 'a/+=b' },
}
const [longTerm = '', temporary = ''] = Object.keys(keys)
const now = new Date('2026-03-02T09:00:00Z')

const verify = (token: string, { at = now } = {}) => verifyBedrockToken(token, { secretOf: (id) => keys[id], now: at })
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)

interface Choices {
  accessKeyId?: string
  hostname?: string
  service?: string
  action?: string
  method?: string
  payload?: 'empty' | 'unsigned'
  lifeSec?: number
}

/** Makes a token that differs from a valid one only in the given part; made by the AWS SDK's signer. */
async function makeToken(choices: Choices = {}) {
  const {
    accessKeyId = longTerm,
    hostname = 'bedrock.amazonaws.com',
    service = 'bedrock',
    method = 'POST',
    payload = 'empty',
  } = choices
  const signer = new SignatureV4({
    service,
    region: 'eu-central-1',
    sha256: Hash.bind(null, 'sha256'),
    credentials: { accessKeyId, ...(keys[accessKeyId] ?? { secretAccessKey: 'unknown' }) },
  })
  const request = new HttpRequest({
    method,
    protocol: 'https:',
    hostname,
    path: '/',
    query: { Action: choices.action ?? 'CallWithBearerToken' },
    headers: { host: hostname },
    // The signer signs `UNSIGNED-PAYLOAD` for a body that it cannot read at once.
    body: payload === 'unsigned' ? new ReadableStream() : undefined,
  })
  const { query = {} } = await signer.presign(request, { signingDate: now, expiresIn: choices.lifeSec ?? 3600 })
  const pairs = Object.entries(query)
  return encode(
    `${hostname}/?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}&Version=1`,
  )
}

const encode = (text: string) => `bedrock-api-key-${Buffer.from(text).toString('base64')}`
const decode = (token: string) => Buffer.from(token.slice('bedrock-api-key-'.length), 'base64').toString()
const change = async (from: string | RegExp, to: string) => encode(decode(await makeToken()).replace(from, to))

describe('accepts', () => {
  test('a token from the built helper, for a long-term key', async () => {
    const secretAccessKey = keys[longTerm]?.secretAccessKey ?? ''
    const { stdout, ...rest } = await runBundle('aws-bedrock-token', {
      argv: ['--format', 'token', '--cache', 'none', '--lifetime', '7200'],
      env: {
        HOME: await temporaryDirectory(),
        AWS_ACCESS_KEY_ID: longTerm,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_REGION: 'eu-central-1',
      },
    })
    const inTwoHours = Date.now() + 7_200_000
    const isDue = (end: Date) => end.getTime() > inTwoHours - 20_000 && end.getTime() <= inTwoHours
    expect({ ...rest, verdict: verify(stdout.trim(), { at: new Date() }) }).toEqual({
      status: 0,
      stderr: '',
      verdict: { ok: true, accessKeyId: longTerm, expiresAt: expect.toSatisfy(isDue, 'an end in two hours') },
    })
  })

  test.each([longTerm, temporary])('a token of %s, and says until when', async (accessKeyId) => {
    expect(verify(await makeToken({ accessKeyId }))).toEqual({ ok: true, accessKeyId, expiresAt: later(3600) })
  })

  test.each(['bedrock.amazonaws.com.cn', 'bedrock.c2s.ic.gov', 'bedrock.cloud.adc-e.uk'])(
    'a token for another partition: %s',
    async (hostname) => {
      expect(verify(await makeToken({ hostname }))).toEqual({
        ok: true,
        accessKeyId: 'AKIAGATEWAYTEST00001',
        expiresAt: new Date('2026-03-02T10:00:00.000Z'),
      })
    },
  )

  test('a token in its last second, and not after it', async () => {
    const token = await makeToken()
    expect(verify(token, { at: later(3599) })).toEqual({
      ok: true,
      accessKeyId: 'AKIAGATEWAYTEST00001',
      expiresAt: new Date('2026-03-02T10:00:00.000Z'),
    })
    expect(verify(token, { at: later(3600) })).toEqual({ ok: false, reason: 'expired' })
  })
})

describe('refuses', () => {
  test.each<[what: string, token: () => Promise<string>, reason: string]>([
    ['another signature', () => change(/(X-Amz-Signature=)..../, '$10000'), 'wrong-signature'],
    ['a longer life than was signed', () => change('Expires=3600', 'Expires=43200'), 'wrong-signature'],
    ['another region than was signed', () => change('eu-central-1', 'us-east-1'), 'wrong-signature'],
    ['one more parameter', () => change('&Version=1', '&Extra=1&Version=1'), 'wrong-signature'],
    ['a payload that is not signed', () => makeToken({ payload: 'unsigned' }), 'wrong-signature'],
    ['another method', () => makeToken({ method: 'GET' }), 'wrong-signature'],
    ['another action', () => makeToken({ action: 'ListFoundationModels' }), 'another action'],
    ['another service', () => makeToken({ service: 'sts' }), 'signed for another service'],
    ['another host', () => makeToken({ hostname: 'sts.amazonaws.com' }), 'signed for another host'],
    ['another domain', () => makeToken({ hostname: 'bedrock.evil.example' }), 'signed for another host'],
    ['a life that no key has', () => makeToken({ lifeSec: 604_800 }), 'lives too long'],
    ['a key that nobody has', () => makeToken({ accessKeyId: 'AKIANOBODY' }), 'unknown-key'],
    [
      'another session token',
      () => makeToken({ accessKeyId: temporary }).then((token) => encode(decode(token).replace('a%2F%2B', 'b%2F%2B'))),
      'wrong-session-token',
    ],
    ['no version at the end', () => change('&Version=1', ''), 'malformed'],
    ['another version', () => change('Version=1', 'Version=2'), 'malformed'],
    ['a scheme', () => change('bedrock.', 'https://bedrock.'), 'malformed'],
    ['a host that is no host name', () => change('amazonaws.com', '999'), 'malformed'],
    ['a fragment, which nobody signs', () => change('&Version=1', '#x&Version=1'), 'malformed'],
    ['a line break, which a URL reader drops', () => change('&Version=1', '\n&Version=1'), 'malformed'],
    ['a broken escape', () => change('&Version=1', '&a=%E0%A4%A&Version=1'), 'malformed'],
    ['base64 without its padding', async () => `${encode('bedrock.a/?aa&Version=1').replace(/=+$/, '')}`, 'malformed'],
    ['base64 with a line break', async () => `${await makeToken()}\n`, 'malformed'],
    ['no base64', async () => 'bedrock-api-key-%%%', 'malformed'],
    ['nothing behind the prefix', async () => 'bedrock-api-key-', 'malformed'],
    ['bytes that are no text', async () => `bedrock-api-key-${Buffer.of(0xff, 0xfe).toString('base64')}`, 'malformed'],
    ['another prefix', async () => 'sk-vendor-1', 'not a key of bedrock'],
    ['nothing', async () => '', 'not a key of bedrock'],
  ])('%s', async (_, token, reason) => {
    expect(verify(await token())).toEqual({ ok: false, reason })
  })

  test('an unsigned payload, for no other reason', async () => {
    const url = `https://${decode(await makeToken({ payload: 'unsigned' })).replace('&Version=1', '')}`
    const signed = { method: 'POST', url, headers: {}, secretOf: (id: string) => keys[id], now }
    expect(verifyQuerySignature({ ...signed, payloadHash: 'UNSIGNED-PAYLOAD' })).toEqual({
      ok: true,
      accessKeyId: 'AKIAGATEWAYTEST00001',
      signedAt: new Date('2026-03-02T09:00:00.000Z'),
      expiresAt: new Date('2026-03-02T10:00:00.000Z'),
      region: 'eu-central-1',
      service: 'bedrock',
    })
  })

  test('a token from the future', async () => {
    expect(verify(await makeToken(), { at: later(-301) })).toEqual({ ok: false, reason: 'not-yet-valid' })
  })

  test('a token whose credentials expired before it', async () => {
    const secretOf = (id: string) => ({ ...(keys[id] as SigningKey), expiration: later(60) })
    const token = await makeToken()
    expect(verifyBedrockToken(token, { secretOf, now: later(59) })).toEqual({
      ok: true,
      accessKeyId: longTerm,
      expiresAt: later(60),
    })
    expect(verifyBedrockToken(token, { secretOf, now: later(60) })).toEqual({
      ok: false,
      reason: 'expired-credentials',
    })
  })
})
