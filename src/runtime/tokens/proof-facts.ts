import { callerIdentityAction, proofLifeSec } from '../../contract/aws/caller-identity.ts'
import { partitions } from '../../contract/aws/partitions.ts'
import { findStsHost } from '../../contract/aws/sts-hosts.ts'
import { parseObject } from '../values/json-value.ts'
import { parseAmzDate } from './presigned-request.ts'

/** The statements of a signed `GetCallerIdentity` request, with which its owner proves an AWS identity. Nothing is verified. */
export interface ProofFacts {
  readonly form: 'url' | 'vault'
  /** The text before it, such as `k8s-aws-v1.`. */
  readonly prefix: string
  /** The host to which the request would be sent; empty if it names none. */
  readonly host: string
  /** The region in its signature; empty if it names none. */
  readonly region: string
  /** The ID of the access key, which is not a secret. */
  readonly accessKeyId: string
  /** `temporary` if the request was signed with a session token, as with the keys of a role. */
  readonly credentials: 'temporary' | 'permanent'
  /**
   * Signed headers that not every request has, by which a server recognizes that the proof is for it. A URL does not contain their values.
   */
  readonly audience: readonly { readonly header: string; readonly value?: string }[]
  /** See `PresignedRequest`. */
  readonly signedAt: number
  /** The end of the 15 minutes for which AWS STS accepts the proof, whatever `X-Amz-Expires` states. */
  readonly expiresAt: number
}

/** The name of such a token for people. */
export const identityProofTitle = 'a proof of an AWS identity (GetCallerIdentity)'

/**
 * Parses a proof, a URL or a login of Vault, after any prefix and for any host, because a careless server would send it there; `undefined`
 * for any other token; pure.
 */
export function parseProofFacts(token: string): ProofFacts | undefined {
  const request = parseUrlForm(token) ?? parseLoginForm(token)
  const signedAt = parseAmzDate(request?.date ?? '')
  if (request === undefined || signedAt === undefined) return undefined
  const { form, prefix, host, credential, sessionToken, headers } = request
  const [accessKeyId = '', , region = ''] = credential.split('/')
  const audience = headers.filter(({ header }) => !usualHeaders.test(header))
  const credentials = sessionToken ? 'temporary' : 'permanent'
  const expiresAt = signedAt + proofLifeSec * 1000
  return { form, prefix, host, region, accessKeyId, credentials, audience, signedAt, expiresAt }
}

/** Parses a proof as {@link parseProofFacts} does, but a URL only if it leads to AWS STS. */
export function parseIdentityProof(token: string): ProofFacts | undefined {
  const facts = parseProofFacts(token)
  const isForSts = facts?.form === 'vault' || findStsHost(facts?.host ?? '', everyPartition) !== undefined
  return isForSts ? facts : undefined
}

const everyPartition = partitions.map(({ id }) => id)

/** Signed headers that do not name an audience. */
const usualHeaders = /^(host|content-type|content-length|x-amz-(date|security-token|content-sha256)|user-agent)$/

interface SignedRequest extends Pick<ProofFacts, 'form' | 'prefix' | 'host'> {
  readonly date: string
  readonly credential: string
  readonly sessionToken: string | undefined
  readonly headers: ProofFacts['audience']
}

/** `http` in base64, followed by `s:/` or `://`. */
const urlStart = /aHR0c(HM6L|DovL)/

function parseUrlForm(token: string): SignedRequest | undefined {
  const { prefix, text } = decodeFrom(token, urlStart)
  const url = URL.parse(text)
  if (url?.searchParams.get('Action') !== callerIdentityAction.Action) return undefined
  const find = (name: string) => url.searchParams.get(`X-Amz-${name}`) ?? undefined
  return {
    form: 'url',
    prefix,
    host: url.host,
    date: find('Date') ?? '',
    credential: find('Credential') ?? '',
    sessionToken: find('Security-Token'),
    headers: listNames(find('SignedHeaders')).map((header) => ({ header })),
  }
}

/** The beginning of a login of Vault: `{"iam_` in base64, with which the names of all its members begin. */
export const loginStart = 'eyJpYW1f'

function parseLoginForm(token: string): SignedRequest | undefined {
  const { prefix, text } = decodeFrom(token, loginStart)
  const login = parseObject(text)
  const headers = parseObject(decodeMember(login?.iam_request_headers))
  if (!headers) return undefined
  const host = URL.parse(decodeMember(login?.iam_request_url))?.host ?? ''
  const texts = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String([value].flat()[0])]))
  const authorization = texts.get('authorization') ?? ''
  const find = (name: string) => new RegExp(`\\b${name}=([^,\\s]*)`).exec(authorization)?.[1]
  const signed = listNames(find('SignedHeaders'))
  return {
    form: 'vault',
    prefix,
    host,
    date: texts.get('x-amz-date') ?? '',
    credential: find('Credential') ?? '',
    sessionToken: texts.get('x-amz-security-token'),
    headers: signed.map((header) => ({ header, value: texts.get(header) ?? '' })),
  }
}

/**
 * Decodes the base64 of a token from this beginning on, and returns the text before it as well. Both are empty if the token does not
 * contain the beginning.
 */
function decodeFrom(token: string, start: string | RegExp): { readonly prefix: string; readonly text: string } {
  const at = token.search(start)
  if (at < 0) return { prefix: '', text: '' }
  return { prefix: token.slice(0, at), text: Buffer.from(token.slice(at), 'base64').toString('utf8') }
}

function listNames(text = ''): string[] {
  return text
    .toLowerCase()
    .split(';')
    .filter((name) => name !== '')
}

function decodeMember(value: unknown): string {
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : ''
}
