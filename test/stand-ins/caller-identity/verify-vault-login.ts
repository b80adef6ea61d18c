import { askSts, type ProofVerdict } from './ask-sts.ts'

/** How an administrator has configured the login. */
interface VaultPolicy {
  /** `iam_server_id_header_value`; without it the header is not looked at. */
  readonly serverId?: string
  /** The host that Vault asks, which has to be the one that was signed. */
  readonly stsHost?: string
}

const serverIdHeader = 'x-vault-aws-iam-server-id'

/** The headers of AWS that Vault passes on. Its `defaultAllowedSTSRequestHeaders`. */
const allowed = ['algorithm', 'content-sha256', 'credential', 'date', 'security-token', 'signature', 'signedheaders']

/** Verifies the fields of a login as Vault's AWS auth method does (type `iam`), and has AWS STS answer whose they are. */
export async function verifyVaultLogin(
  login: Readonly<Record<string, unknown>>,
  { serverId, stsHost = 'sts.amazonaws.com' }: VaultPolicy,
  aws: { readonly url: string },
): Promise<ProofVerdict> {
  const refuse = (reason: string): ProofVerdict => ({ ok: false, reason })
  if (login.iam_http_request_method !== 'POST') return refuse('another method')
  const url = URL.parse(decode(login.iam_request_url) ?? '')
  if (!url) return refuse('no URL')
  if (url.search !== '') return refuse('a query')
  const body = decode(login.iam_request_body)
  if (body === undefined || !isGetCallerIdentity(body)) return refuse('another body')
  const headers = parseHeaders(decode(login.iam_request_headers) ?? '')
  if (!headers) return refuse('no headers')
  if (headers.keys().some((name) => name.startsWith('x-amz-') && !allowed.includes(name.slice(6))))
    return refuse('a header of AWS that is not passed on')
  const problem = serverId === undefined ? undefined : findServerIdProblem(headers, serverId)
  if (problem !== undefined) return refuse(problem)
  // Vault sends it to the host that it is configured for, under the name that was signed.
  if (url.host !== stsHost) return refuse('AWS STS: SignatureDoesNotMatch')
  return askSts({ method: 'POST', url, headers: Object.fromEntries(headers), body }, aws)
}

function decode(field: unknown): string | undefined {
  if (typeof field !== 'string' || field === '') return undefined
  const bytes = Buffer.from(field, 'base64')
  return bytes.toString('base64') === field ? bytes.toString('utf8') : undefined
}

function isGetCallerIdentity(body: string): boolean {
  const pairs = [...new URLSearchParams(body)]
  return pairs.every(([name, value]) => name === 'Version' || (name === 'Action' && value === 'GetCallerIdentity'))
}

function parseHeaders(text: string): Map<string, string> | undefined {
  try {
    const entries = Object.entries<unknown>(JSON.parse(text))
    return new Map(entries.map(([name, values]) => [name.toLowerCase(), [values].flat().join(',')]))
  } catch {
    return undefined // no JSON
  }
}

function findServerIdProblem(headers: ReadonlyMap<string, string>, serverId: string): string | undefined {
  const found = headers.get(serverIdHeader)
  if (found === undefined) return 'no server id'
  if (found !== serverId) return 'another server id'
  const signed = /SignedHeaders=([^,]+)/.exec(headers.get('authorization') ?? '')?.[1]?.split(';') ?? []
  return signed.includes(serverIdHeader) ? undefined : 'the server id is not signed'
}
