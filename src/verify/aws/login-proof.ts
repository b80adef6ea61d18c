import { callerIdentityAction, proofForms } from '../../contract/aws/caller-identity.ts'
import { isPrintable } from '../../contract/headers.ts'
import { formType } from '../../runtime/network/server-request.ts'
import { parseUniqueObject } from '../jwt/unique-object.ts'
import {
  createPathCheck,
  createSizeCheck,
  decodeCanonical,
  type ProofAddress,
  type ProofCheck,
  type ProofParts,
  type ProofProblem,
  type ProofTerms,
  parseAddress,
  rejectForm,
  rejectUnsigned,
  type SignatureClaim,
  skipWithout,
} from './proof-check.ts'
import { addressChecks, signatureChecks, timeChecks } from './request-checks.ts'

/** A parsed proof in the form of a Vault login (the AWS auth method of HashiCorp Vault). */
export interface VaultLoginParts extends ProofParts {
  /** Whether the token is canonical base64. */
  readonly isEncoded: boolean
  readonly fields: LoginFields | undefined
  readonly body: string | undefined
  /** The values by their names in lower case; `undefined` if the headers are malformed. */
  readonly headers: ReadonlyMap<string, string> | undefined
  /** The problem of the headers, in words. */
  readonly headersProblem: string | undefined
}

type LoginFields = Readonly<Record<(typeof fieldNames)[number], string>>

const fieldNames = ['iam_http_request_method', 'iam_request_url', 'iam_request_body', 'iam_request_headers'] as const

/** Parses the fields of a Vault login, which is JSON in base64. A proof that is too large is not parsed; pure. */
export function parseLogin(token: string): VaultLoginParts {
  const bytes = Buffer.byteLength(token)
  const text = bytes <= longestLoginBytes ? decodeCanonical(token, 'base64') : undefined
  const fields = text === undefined ? undefined : parseFields(text)
  const parsed = fields && parseHeaders(fields.iam_request_headers)
  const headers = typeof parsed === 'string' ? undefined : parsed
  return {
    bytes,
    isEncoded: text !== undefined,
    fields,
    address: fields && parseLoginAddress(fields),
    body: fields && decodeCanonical(fields.iam_request_body, 'base64'),
    headers,
    headersProblem: typeof parsed === 'string' ? parsed : undefined,
    claim: headers && toClaim(headers),
  }
}

/** The longest login, in bytes. Our helper prints fewer even with the longest session tokens, which a login encodes twice. Our decision. */
const longestLoginBytes = 8192

function parseFields(text: string): LoginFields | undefined {
  const given = parseUniqueObject(text) ?? {}
  const isComplete = fieldNames.every((name) => typeof given[name] === 'string')
  const hasOthers = Object.keys(given).length > fieldNames.length
  return isComplete && !hasOthers ? (given as LoginFields) : undefined // isComplete has found a text in each
}

/** Parses the headers by their names, or says in words what is wrong with them. */
function parseHeaders(encoded: string): ReadonlyMap<string, string> | string {
  const text = decodeCanonical(encoded, 'base64')
  const given = text === undefined ? undefined : parseUniqueObject(text)
  if (!given) return 'the headers are not a JSON object in base64'
  const entries = Object.entries(given).map(([name, values]) => [name.toLowerCase(), [values].flat()] as const)
  const headers = new Map<string, string>()
  for (const [name, [value, ...more]] of entries) {
    if (!/^[a-z0-9-]+$/.test(name)) return 'the name of a header is malformed'
    if (headers.has(name) || more.length > 0) return `the header ${name} is there more than once`
    if (typeof value !== 'string' || !isPrintable(value)) return `the header ${name} has a value that cannot be sent`
    headers.set(name, value)
  }
  return headers
}

const authorizationForm =
  /^(?<algorithm>[A-Z0-9-]+) Credential=(?<credential>[^\s,]+), ?SignedHeaders=(?<names>[^\s,]+), ?Signature=(?<signature>[^\s,]+)$/

function parseLoginAddress(fields: LoginFields): ProofAddress | undefined {
  const text = decodeCanonical(fields.iam_request_url, 'base64')
  return text === undefined ? undefined : parseAddress(text)
}

function toClaim(headers: ReadonlyMap<string, string>): SignatureClaim {
  const { algorithm, credential, names, signature } =
    authorizationForm.exec(headers.get('authorization') ?? '')?.groups ?? {}
  return { algorithm, credential, date: headers.get('x-amz-date'), signedHeaders: names?.split(';') ?? [], signature }
}

/** The only body that a login may have. */
const wantedBody = new URLSearchParams(callerIdentityAction).toString()

/** Every check of a Vault login. The first one that fails is the reason of the refusal. */
export const loginChecks: readonly ProofCheck<VaultLoginParts>[] = [
  createSizeCheck(longestLoginBytes),
  {
    name: 'encoding',
    find: ({ bytes, isEncoded }) => {
      if (bytes > longestLoginBytes) return 'skipped'
      return isEncoded ? undefined : rejectForm('it is not base64 as an encoder writes it')
    },
    holds: 'it is base64 as an encoder writes it',
  },
  {
    name: 'login',
    find: ({ isEncoded, fields }) => {
      if (!isEncoded) return 'skipped'
      return fields ? undefined : rejectForm('it is not the four fields of a login, as JSON')
    },
    holds: 'it has the four fields of a login',
  },
  {
    name: 'method',
    find: skipWithout('fields', ({ iam_http_request_method: method }) =>
      method === 'POST' ? undefined : rejectForm('the method is not POST'),
    ),
    holds: 'it is POST',
  },
  {
    name: 'url',
    find: skipWithout('fields', (_, { address }) =>
      address ? undefined : rejectForm('iam_request_url is not a URL in base64'),
    ),
    holds: 'it is an absolute URL',
  },
  ...addressChecks,
  createPathCheck(({ path, query, fragment }) => /^\/?$/.test(path) && query === undefined && fragment === undefined),
  {
    name: 'action',
    find: skipWithout('fields', (_, { body }) =>
      body === wantedBody ? undefined : rejectForm(`the body is not ${wantedBody} in base64`),
    ),
    holds: `the body is ${wantedBody}`,
  },
  {
    name: 'headers',
    find: skipWithout('fields', (_, { headers, headersProblem, address }, { trust }) => {
      const problem = headers ? findHeaderProblem(headers, address?.authority, trust) : headersProblem
      return problem === undefined ? undefined : rejectForm(problem)
    }),
    holds: 'they are those of a login, each once',
  },
  {
    name: 'audience',
    find: validateLoginAudience,
    holds: (_, { trust: { audience } }) =>
      audience === 'none' ? 'none is named' : `it is ${audience.value}, and signed`,
  },
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
    holds: 'every signed header is there, and every one of AWS is signed',
  },
  ...timeChecks,
]

/**
 * The headers that signers add, besides the one with the audience. By default Vault forwards few `X-Amz-` headers (its setting
 * `allowed_sts_header_values`).
 */
const knownHeaders = [
  ...['accept', 'authorization', 'content-length', 'content-type', 'host', 'user-agent'],
  ...['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token', 'x-amz-user-agent'],
]

/** Finds the first problem among a login's headers, in words; the signature is not checked here. */
function findHeaderProblem(
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

/** Lists the headers in which a login can name its audience: the policy's own, and Vault's. */
function listAudienceHeaders({ audience }: ProofTerms['trust']): string[] {
  const ofVault = proofForms.vault.audienceHeader.toLowerCase()
  return audience === 'none' ? [ofVault] : [...new Set([audience.header, ofVault])]
}

/** A signed header must name the audience, and every header that names an audience must have the same value. */
function validateLoginAudience(
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
  return unsigned === undefined ? undefined : rejectUnsigned(unsigned)
}
