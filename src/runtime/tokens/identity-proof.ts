import { proofLifeSec } from '../../contract/aws/caller-identity.ts'
import { partitions } from '../../contract/aws/partitions.ts'
import { findStsHost } from '../../contract/aws/sts-hosts.ts'
import { parseObject } from '../values/json-value.ts'
import { parseAmzDate } from './presigned-request.ts'

const everyPartition = partitions.map(({ id }) => id)

/** Parses a proof in one of its forms, a URL or a login of Vault, behind any prefix; `undefined` for any other token; pure. */
export function parseIdentityProof(token: string): IdentityProof | undefined {
  const date = findUrlDate(token) ?? findLoginDate(token)
  const signedAt = date === undefined ? undefined : parseAmzDate(date)
  return signedAt === undefined ? undefined : { signedAt, expiresAt: signedAt + proofLifeSec * 1000 }
}

/** A signed `GetCallerIdentity` request, with which its owner proves an AWS identity; unverified. */
interface IdentityProof {
  /** See `PresignedRequest`. */
  readonly signedAt: number
  /** The end of the 15 minutes for which AWS STS accepts the proof, whatever `X-Amz-Expires` states. */
  readonly expiresAt: number
}

/** `https://st` in base64. */
const urlStart = 'aHR0cHM6Ly9zdH'

function findUrlDate(token: string): string | undefined {
  const url = URL.parse(decodeFrom(token, urlStart).text)
  const { host = '', searchParams } = url ?? {}
  if (!findStsHost(host, everyPartition) || searchParams?.get('Action') !== 'GetCallerIdentity') return undefined
  return searchParams.get('X-Amz-Date') ?? undefined
}

/** The beginning of a login of Vault: `{"iam_` in base64, with which the names of all its members begin. */
export const loginStart = 'eyJpYW1f'

function findLoginDate(token: string): string | undefined {
  const headers = parseObject(decodeFrom(token, loginStart).text)?.iam_request_headers
  if (typeof headers !== 'string') return undefined
  const date = parseObject(Buffer.from(headers, 'base64').toString('utf8'))?.['X-Amz-Date']
  return [date].flat().map(String)[0]
}

/**
 * Decodes the base64 of a token from this beginning on, and returns the text before it as well. Both are empty if the token does not
 * contain the beginning.
 */
export function decodeFrom(token: string, start: string | RegExp): { readonly prefix: string; readonly text: string } {
  const at = token.search(start)
  if (at < 0) return { prefix: '', text: '' }
  return { prefix: token.slice(0, at), text: Buffer.from(token.slice(at), 'base64').toString('utf8') }
}

/** The name of such a token for people. */
export const identityProofTitle = 'a proof of an AWS identity (GetCallerIdentity)'
