import { createHash, createHmac } from 'node:crypto'
import type { Environment } from '../../runtime/environment.ts'
import { type PresignedRequest, parsePresigned } from './presigned-request.ts'

/** What a short-term Bedrock API key says of itself. */
export interface BedrockFacts {
  readonly signedAt: number
  readonly expiresSec: number
  /** Alike for keys made of the same temporary credentials; absent where those are permanent. */
  readonly session?: string
  /** `unknown`: the secret key that signed it is not in the environment. */
  readonly signature: 'right' | 'unsigned-payload' | 'wrong' | 'unknown'
}

const prefix = 'bedrock-api-key-'

/** Reads a short-term Bedrock API key; `undefined` where a token is none. */
export function parseBedrock(token: string, env: Environment): BedrockFacts | undefined {
  const request = token.startsWith(prefix) ? parsePresigned(token) : undefined
  if (!request) return undefined
  const { signedAt, expiresSec, parameters } = request
  const sessionToken = parameters.get('X-Amz-Security-Token')
  return {
    signedAt,
    expiresSec,
    signature: validateSignature(request, env),
    ...(sessionToken !== null && { session: sha256(sessionToken) }),
  }
}

function validateSignature(request: PresignedRequest, env: Environment): BedrockFacts['signature'] {
  const { parameters } = request
  if (parameters.get('X-Amz-Content-Sha256') === unsignedPayload) return 'unsigned-payload'
  const [id, ...scope] = (parameters.get('X-Amz-Credential') ?? '').split('/')
  const secret = env.AWS_ACCESS_KEY_ID === id ? env.AWS_SECRET_ACCESS_KEY : undefined
  if (!secret) return 'unknown'
  const isSigned = (payloadHash: string) =>
    sign(secret, scope, parameters.get('X-Amz-Date') ?? '', renderCanonical(request, payloadHash)) ===
    parameters.get('X-Amz-Signature')
  if (isSigned(sha256(''))) return 'right'
  return isSigned(unsignedPayload) ? 'unsigned-payload' : 'wrong'
}

const unsignedPayload = 'UNSIGNED-PAYLOAD'

/** As AWS documents Signature Version 4 for a query; `Version` is added to a Bedrock key after it was signed. */
function renderCanonical({ host, query }: PresignedRequest, payloadHash: string): string {
  const signed = query.split('&').filter((pair) => !/^(X-Amz-Signature|Version)=/.test(pair))
  return ['POST', '/', signed.sort().join('&'), `host:${host}`, '', 'host', payloadHash].join('\n')
}

function sign(secret: string, scope: readonly string[], date: string, canonical: string): string {
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce<string | Buffer>((parent, part) => hmac(parent, part), `AWS4${secret}`)
  return hmac(key, text).toString('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
