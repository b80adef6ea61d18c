import { askSts, type ProofVerdict } from './ask-sts.ts'
import { isStsHost, type PartitionName } from './sts-hosts.ts'

/** The conditions that a server has for a proof. */
interface UrlProofPolicy {
  readonly audience: string | undefined
  readonly header?: string
  readonly prefix?: string
  readonly partition?: PartitionName
  readonly now?: Date
}

const longest = 4096
const lifeMs = 15 * 60 * 1000

/** The parameters that a proof may have, in lower case. */
const known = [
  'action',
  'version',
  ...['algorithm', 'credential', 'date', 'expires', 'security-token', 'signature', 'signedheaders'].map(
    (name) => `x-amz-${name}`,
  ),
]

/**
 * Verifies a proof as the server of aws-iam-authenticator does: first the request itself, then by sending it to AWS STS, with
 * the header that names this server and not the one that signed it.
 */
export async function verifyUrlProof(
  token: string,
  policy: UrlProofPolicy,
  aws: { readonly url: string },
): Promise<ProofVerdict> {
  const parsed = parseProof(token, policy)
  if (typeof parsed === 'string') return { ok: false, reason: parsed }
  const { audience, header = 'x-k8s-aws-id' } = policy
  return askSts({ method: 'GET', url: parsed, headers: audience === undefined ? {} : { [header]: audience } }, aws)
}

function parseProof(token: string, { prefix = 'k8s-aws-v1.', ...policy }: UrlProofPolicy): URL | string {
  if (token.length > longest) return 'too large'
  if (!token.startsWith(prefix)) return 'another prefix'
  const encoded = token.slice(prefix.length)
  if (!/^[\w-]*$/.test(encoded) || encoded.length % 4 === 1) return 'not base64url'
  const url = URL.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
  if (!url) return 'no URL'
  if (url.protocol !== 'https:') return 'another scheme'
  if (!isStsHost(url.host, policy.partition ?? 'aws')) return 'another host'
  if (url.pathname !== '/') return 'a path'
  return findQueryProblem(url, policy) ?? url
}

function findQueryProblem(
  { search }: URL,
  { audience, header = 'x-k8s-aws-id', now = new Date() }: Omit<UrlProofPolicy, 'prefix'>,
): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(search)) return 'malformed query'
  const pairs = [...new URLSearchParams(search)].map(([name, value]) => [name.toLowerCase(), value] as const)
  const parameters = new Map(pairs)
  if (parameters.size < pairs.length) return 'a parameter twice'
  if (pairs.some(([name]) => !known.includes(name))) return 'an unknown parameter'
  if (parameters.get('action') !== 'GetCallerIdentity') return 'another action'
  const signed = parameters.get('x-amz-signedheaders')?.split(';') ?? []
  if (audience !== undefined && !signed.includes(header.toLowerCase())) return 'the audience is not signed'
  const expires = parameters.get('x-amz-expires') ?? ''
  if (!/^\d+$/.test(expires) || Number(expires) > lifeMs / 1000) return 'X-Amz-Expires'
  return findDateProblem(parameters.get('x-amz-date') ?? '', now)
}

function findDateProblem(text: string, now: Date): string | undefined {
  const date = Date.parse(text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Number.isNaN(date)) return 'X-Amz-Date'
  return now.getTime() > date + lifeMs ? 'expired' : undefined
}
