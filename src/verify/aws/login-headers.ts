import { callerIdentityAction, proofForms } from '../../contract/aws/caller-identity.ts'
import { formType } from '../../runtime/network/request-body.ts'
import type { VaultLoginParts } from './parse-login.ts'
import type { ProofProblem, ProofTerms } from './proof-check.ts'

/** The one body that a login may have. */
export const wantedBody = new URLSearchParams(callerIdentityAction).toString()

/** The headers that a signer adds, beside the one with the audience. Vault passes on no other of AWS's own. */
const knownHeaders = [
  ...['accept', 'authorization', 'content-length', 'content-type', 'host', 'user-agent'],
  ...['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token', 'x-amz-user-agent'],
]

/** The problem of a login's header, apart from its signature, in words. */
export function findForeignHeader(
  headers: ReadonlyMap<string, string>,
  authority: string | undefined,
  trust: ProofTerms['trust'],
): string | undefined {
  const accepted = [...knownHeaders, ...listAudienceHeaders(trust)]
  const foreign = [...headers.keys()].find((name) => !accepted.includes(name))
  if (foreign !== undefined) return `the header ${foreign} does not belong to a login`
  if (headers.has('host') && headers.get('host') !== authority) return 'the header host names another host than the URL'
  if (!/^application\/x-www-form-urlencoded(; ?charset=utf-8)?$/i.test(headers.get('content-type') ?? formType))
    return 'the header content-type is not that of a form'
  const length = headers.get('content-length')
  return length === undefined || length === String(wantedBody.length)
    ? undefined
    : 'the header content-length is not the length of the body'
}

/** The headers in which a login can name its audience: the policy's own, and the one of Vault. */
function listAudienceHeaders({ audience }: ProofTerms['trust']): string[] {
  const ofVault = proofForms.vault.audienceHeader.toLowerCase()
  return audience === 'none' ? [ofVault] : [...new Set([audience.header, ofVault])]
}

/** A signed header has to name the audience, and every header that names it has to have the same value. */
export function validateLoginAudience(
  { headers, claim }: VaultLoginParts,
  { trust }: ProofTerms,
): ProofProblem | 'skipped' | undefined {
  if (!headers || !claim) return 'skipped'
  const named = listAudienceHeaders(trust).filter((name) => headers.has(name))
  if (trust.audience === 'none')
    return named.length > 0
      ? { reason: 'audience', note: 'it names an audience, and none is accepted here' }
      : undefined
  const { header, value } = trust.audience
  if (named.length === 0) return { reason: 'audience', note: `it has no header ${header} with its audience` }
  if (named.some((name) => headers.get(name) !== value))
    return { reason: 'audience', note: `its audience is another one than ${value}` }
  const unsigned = named.find((name) => !claim.signedHeaders.includes(name))
  return unsigned === undefined
    ? undefined
    : { reason: 'audience', note: `the header ${unsigned} is not signed, which names the audience` }
}
