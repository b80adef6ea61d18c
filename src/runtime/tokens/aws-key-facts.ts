import { createHmac, hash } from 'node:crypto'
import { findKeyService, type KeyService } from '../../contract/aws/keys.ts'
import type { Environment } from '../run-process.ts'
import { type PresignedRequest, parsePresigned } from './presigned-request.ts'

/** The statements of a short-term key for an AWS service. Only its signature is verified. */
export interface AwsKeyFacts {
  readonly service: KeyService
  /** The region for which it was signed. */
  readonly region: string
  readonly signedAt: number
  readonly expiresSec: number
  /** A text that is equal for keys of the same temporary credentials; absent if the credentials are permanent. */
  readonly session?: string
  /** The result of verifying the signature. `unknown`: the secret key that signed it is not in the environment. */
  readonly signature: 'valid' | 'unsigned-payload' | 'invalid' | 'unknown'
}

/** Parses a short-term key; `undefined` for any other token. `env` may hold the access key that signed it. */
export function parseAwsKey(token: string, env: Environment): AwsKeyFacts | undefined {
  const service = findKeyService(token)
  const request = service && parsePresigned(token)
  if (!request) return undefined
  const { signedAt, expiresSec, parameters } = request
  const sessionToken = parameters.get('X-Amz-Security-Token')
  return {
    service,
    region: parameters.get('X-Amz-Credential')?.split('/')[2] ?? '',
    signedAt,
    expiresSec,
    signature: detectSignature(request, env),
    ...(sessionToken !== null && { session: hash('sha256', sessionToken) }),
  }
}

function detectSignature(request: PresignedRequest, env: Environment): AwsKeyFacts['signature'] {
  const { parameters } = request
  if (parameters.get('X-Amz-Content-Sha256') === unsignedPayload) return 'unsigned-payload'
  const [id, ...scope] = (parameters.get('X-Amz-Credential') ?? '').split('/')
  const secret = env.AWS_ACCESS_KEY_ID === id ? env.AWS_SECRET_ACCESS_KEY : undefined
  if (!secret) return 'unknown'
  const isSigned = (payloadHash: string) =>
    sign(secret, scope, parameters.get('X-Amz-Date') ?? '', renderCanonical(request, payloadHash)) ===
    parameters.get('X-Amz-Signature')
  if (isSigned(hash('sha256', ''))) return 'valid'
  return isSigned(unsignedPayload) ? 'unsigned-payload' : 'invalid'
}

const unsignedPayload = 'UNSIGNED-PAYLOAD'

/**
 * Renders the canonical request of Signature Version 4 in a query (AWS documentation, "Create a signed AWS API request"). `Version` is
 * added to a key after signing.
 */
function renderCanonical({ host, query }: PresignedRequest, payloadHash: string): string {
  const signed = query.split('&').filter((pair) => !/^(X-Amz-Signature|Version)=/.test(pair))
  return ['POST', '/', signed.sort().join('&'), `host:${host}`, '', 'host', payloadHash].join('\n')
}

function sign(secret: string, scope: readonly string[], date: string, canonical: string): string {
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), hash('sha256', canonical)].join('\n')
  const key = scope.reduce<string | Buffer>((parent, part) => signHmac(parent, part), `AWS4${secret}`)
  return signHmac(key, text).toString('hex')
}

function signHmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
