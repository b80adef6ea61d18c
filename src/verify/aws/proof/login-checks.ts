import { callerIdentityAction, proofForms } from '../../../contract/aws-identity/caller-identity.ts'
import { type LoginParts, longestLoginBytes } from './parse-login.ts'
import { type ProofCheck, type ProofTerms, rejectForm } from './proof-check.ts'
import { addressChecks, signatureChecks, timeChecks } from './signature-checks.ts'

/** The content type of the body. */
export const formType = 'application/x-www-form-urlencoded'

const wantedBody = new URLSearchParams(callerIdentityAction).toString()

/** Every check of a login of Vault, in the order in which the first one that fails is the reason of the refusal. */
export const loginChecks: readonly ProofCheck<LoginParts>[] = [
  {
    name: 'size',
    find: ({ bytes }) =>
      bytes > longestLoginBytes ? rejectForm(`it has ${bytes} bytes, above ${longestLoginBytes}`) : undefined,
  },
  {
    name: 'encoding',
    find: ({ bytes, isEncoded }) => {
      if (bytes > longestLoginBytes) return 'skipped'
      return isEncoded ? undefined : rejectForm('it is not base64 as an encoder writes it')
    },
  },
  {
    name: 'login',
    find: ({ isEncoded, fields }) => {
      if (!isEncoded) return 'skipped'
      return fields ? undefined : rejectForm('it is not the four fields of a login, as JSON')
    },
  },
  {
    name: 'method',
    find: ({ fields }) => {
      if (!fields) return 'skipped'
      return fields.iam_http_request_method === 'POST' ? undefined : rejectForm('the method is not POST')
    },
  },
  {
    name: 'url',
    find: ({ fields, address }) => {
      if (!fields) return 'skipped'
      return address ? undefined : rejectForm('iam_request_url is no URL in base64')
    },
  },
  ...addressChecks,
  {
    name: 'path',
    find: ({ address }) => {
      if (!address) return 'skipped'
      const isPlain = /^\/?$/.test(address.path) && address.query === undefined && address.fragment === undefined
      return isPlain ? undefined : rejectForm('the path is not / alone')
    },
  },
  {
    name: 'action',
    find: ({ fields, body }) => {
      if (!fields) return 'skipped'
      return body === wantedBody ? undefined : rejectForm(`the body is not ${wantedBody} in base64`)
    },
  },
  {
    name: 'headers',
    find: ({ fields, headers, headersProblem, address }, { trust }) => {
      if (!fields) return 'skipped'
      const problem = headers ? findForeignHeader(headers, address?.authority, trust) : headersProblem
      return problem === undefined ? undefined : rejectForm(problem)
    },
  },
  { name: 'audience', find: findAudienceProblem },
  ...signatureChecks,
  {
    name: 'signed values',
    find: ({ headers, claim }) => {
      if (!headers || !claim) return 'skipped'
      const unsigned = [...headers.keys()].find(
        (name) => name.startsWith('x-amz-') && !claim.signedHeaders.includes(name),
      )
      if (unsigned !== undefined) return rejectForm(`the header ${unsigned} is not signed`)
      const missing = claim.signedHeaders.find((name) => name !== 'host' && !headers.has(name))
      return missing === undefined ? undefined : rejectForm(`the header ${missing} is signed, and not there`)
    },
  },
  ...timeChecks,
]

/** The headers that a signer adds, beside the one with the audience. Vault passes on no other of AWS's own. */
const knownHeaders = [
  ...['accept', 'authorization', 'content-length', 'content-type', 'host', 'user-agent'],
  ...['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token', 'x-amz-user-agent'],
]

/** The headers in which a login can name its audience: the policy's own, and the one of Vault. */
function listAudienceHeaders({ audience }: ProofTerms['trust']): string[] {
  const ofVault = proofForms.vault.audienceHeader.toLowerCase()
  return audience === 'none' ? [ofVault] : [...new Set([audience.header, ofVault])]
}

function findForeignHeader(
  headers: ReadonlyMap<string, string>,
  authority: string | undefined,
  trust: ProofTerms['trust'],
): string | undefined {
  const accepted = [...knownHeaders, ...listAudienceHeaders(trust)]
  const foreign = [...headers.keys()].find((name) => !accepted.includes(name))
  if (foreign !== undefined) return `the header ${foreign} is none of a login`
  if (headers.has('host') && headers.get('host') !== authority) return 'the header host names another host than the URL'
  if (!/^application\/x-www-form-urlencoded(; ?charset=utf-8)?$/i.test(headers.get('content-type') ?? formType))
    return 'the header content-type is not that of a form'
  const length = headers.get('content-length')
  return length === undefined || length === String(wantedBody.length)
    ? undefined
    : 'the header content-length is not the length of the body'
}

function findAudienceProblem({ headers, claim }: LoginParts, { trust }: ProofTerms) {
  if (!headers || !claim) return 'skipped'
  const named = listAudienceHeaders(trust).filter((name) => headers.has(name))
  if (trust.audience === 'none')
    return named.length > 0
      ? ({ reason: 'audience', note: 'it names an audience, and none is accepted here' } as const)
      : undefined
  const { header, value } = trust.audience
  if (named.length === 0) return { reason: 'audience', note: `it has no header ${header} with its audience` } as const
  if (named.some((name) => headers.get(name) !== value))
    return { reason: 'audience', note: `its audience is another one than ${value}` } as const
  const unsigned = named.find((name) => !claim.signedHeaders.includes(name))
  return unsigned === undefined
    ? undefined
    : ({ reason: 'audience', note: `the header ${unsigned} is not signed, which names the audience` } as const)
}
