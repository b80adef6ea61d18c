import { expect, onTestFinished, test, vi } from 'vitest'
import { examineCredential } from '../../../src/client/doctor/examine-credential.ts'
import type { GatewayInference } from '../../../src/config/document.ts'
import { Secret } from '../../../src/runtime/secret.ts'

const now = Date.UTC(2026, 0, 15, 12)

/** Returns the part about a token that a gateway accepts. */
async function describeToken(token: string, headers: Record<string, string> = {}, ttlSec?: number) {
  vi.setSystemTime(now)
  onTestFinished(() => void vi.useRealTimers())
  const inference = { provider: 'gateway', baseUrl: 'https://gateway.example' } as unknown as GatewayInference // the rest is not read
  const credential = { token: new Secret(token), headers }
  const [part] = await examineCredential(inference, credential, ttlSec, async () => new Response('{}'))
  return part!
}

const encode = (text: string) => Buffer.from(text).toString('base64')
const query = (action: string) =>
  `Action=${action}&X-Amz-Credential=A%2F20260115%2Feu-west-1%2Fx%2Faws4_request&X-Amz-Date=20260115T120000Z&X-Amz-Expires=60`
const shortTerm = (service: string) =>
  `${service}-api-key-${encode(`${service}.amazonaws.com/?${query('CallWithBearerToken')}`)}`

test.each<[token: string, kind: string, outcome: string]>([
  ['word', 'an opaque token', 'good'],
  [shortTerm('bedrock'), 'a short-term Bedrock API key', 'good'],
  [shortTerm('aws-external-vendor'), 'a short-term aws-external-vendor API key', 'good'],
  [`ABSK${encode('BedrockAPIKey-x:y')}`, 'a long-term Bedrock API key', 'note'],
  [
    `k8s-aws-v1.${encode(`https://sts.eu-west-1.amazonaws.com/?${query('GetCallerIdentity')}`)}`,
    'a proof of an AWS identity (GetCallerIdentity)',
    'good',
  ],
])('%s is %s', async (token, kind, outcome) => {
  const part = await describeToken(token, {}, 60)
  expect([part.lines[0]?.replace(/, \d+ bytes$/, ''), part.outcome]).toEqual([kind, outcome])
})

const jwt = (lifeSec: number) => `e30.${encode(JSON.stringify({ exp: now / 1000 + lifeSec }))}.sig`
const part = { part: 'token', outcome: 'good' }
const opaque = ['an opaque token, 4 bytes', 'headers beside it: Proxy-Authorization: ***, X-Team: ***']

test.each<[lifeSec: number, described: object]>([
  [
    7200,
    {
      ...part,
      lines: [
        ...opaque,
        'it does not say when it expires',
        'in Proxy-Authorization: a JWT, N bytes; it is valid for another 2 h 0 min, until 2026-01-15T14:00:00.000Z (JWT exp)',
      ],
    },
  ],
  [
    600,
    {
      ...part,
      outcome: 'note',
      lines: [
        ...opaque,
        'it does not say when it expires',
        'in Proxy-Authorization: a JWT, N bytes; it is valid for another 10 min, until 2026-01-15T12:10:00.000Z (JWT exp); the client keeps it for 1 h 0 min',
      ],
      hint: 'set ttlSec to 600 or less, or have the helper request a longer lifetime',
    },
  ],
  [
    -60,
    {
      ...part,
      outcome: 'bad',
      lines: [
        ...opaque,
        'it does not say when it expires',
        'in Proxy-Authorization: a JWT, N bytes; it expired at 2026-01-15T11:59:00.000Z (JWT exp)',
      ],
      cause: 'the token expired at 2026-01-15T11:59:00.000Z (JWT exp)',
      hint: 'check whether the helper caches expired tokens, and check the clock of this machine',
    },
  ],
])('a second token in a header, good for another %d s, is described beside the first', async (lifeSec, described) => {
  const headers = { 'Proxy-Authorization': `Bearer ${jwt(lifeSec)}`, 'X-Team': 'blue' }
  const found = await describeToken('word', headers)
  expect({ ...found, lines: found.lines.map((line) => line.replace(/JWT, \d+/, 'JWT, N')) }).toEqual(described)
})
