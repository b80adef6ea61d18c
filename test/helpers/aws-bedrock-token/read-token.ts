import { expect } from 'vitest'
import type { Outcome } from '../../setup/run-program.ts'
import type { AwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'
import { type SignatureVerdict, verifyQuerySignature } from '../../stand-ins/bedrock/sigv4-verify.ts'

/** The content of a Bedrock API key, read by its documented form only. */
interface BedrockToken {
  readonly text: string
  readonly accessKeyId: string
  readonly region: string
  readonly host: string
  readonly expiresSec: number
  readonly signedAt: Date
  /** The URL as it was signed: with the scheme, without the version. */
  readonly url: string
  readonly query: URLSearchParams
}

/** Reads the token of a successful run: status 0, one document on stdout, nothing on stderr. */
export function readToken(outcome: Outcome): BedrockToken {
  expect({ ...outcome, stdout: '' }).toEqual({ status: 0, stdout: '', stderr: '' })
  return parseToken(outcome)
}

/** Parses the token of a run that may have warned. */
export function parseToken({ stdout }: Outcome): BedrockToken {
  const { token: text } = JSON.parse(stdout) as { token: string } // the shape is asserted by what follows
  const [, base64 = ''] = /^bedrock-api-key-([A-Za-z0-9+/]+=*)$/.exec(text) ?? []
  const [, bare = ''] = /^(.+)&Version=1$/.exec(Buffer.from(base64, 'base64').toString()) ?? []
  const url = `https://${bare}`
  const { host, searchParams: query } = new URL(url)
  const [accessKeyId = '', , region = ''] = query.get('X-Amz-Credential')?.split('/') ?? []
  const date = query.get('X-Amz-Date') ?? ''
  const signedAt = new Date(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  return { text, accessKeyId, region, host, expiresSec: Number(query.get('X-Amz-Expires')), signedAt, url, query }
}

/** Verifies a token with code that shares nothing with the code that signed it. */
export function validateToken(
  { url }: BedrockToken,
  aws: AwsStandIn,
  { now = new Date(), ...rest }: { now?: Date; payloadHash?: string } = {},
): SignatureVerdict {
  return verifyQuerySignature({ method: 'POST', url, headers: {}, secretOf: aws.secretOf, now, ...rest })
}

/** Asserts a successful run and a token that Bedrock would accept, made with the given key. */
export function expectToken(outcome: Outcome, aws: AwsStandIn, accessKeyId: string, region = 'eu-central-1'): void {
  const token = readToken(outcome)
  const { signedAt, expiresSec } = token
  const expiresAt = new Date(signedAt.getTime() + expiresSec * 1000)
  expect({ accessKeyId: token.accessKeyId, region: token.region, verdict: validateToken(token, aws) }).toEqual({
    accessKeyId,
    region,
    verdict: { ok: true, accessKeyId, region, service: 'bedrock', signedAt, expiresAt },
  })
}
