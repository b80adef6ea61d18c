import { callerIdentityAction, longestUrlProofBytes, proofLifeSec } from '../../contract/aws/caller-identity.ts'
import { isPrintable } from '../../contract/headers.ts'
import {
  createPathCheck,
  createSizeCheck,
  decodeCanonical,
  type ProofAddress,
  type ProofCheck,
  type ProofParts,
  type ProofTerms,
  parseAddress,
  rejectForm,
  rejectUnsigned,
  type SignatureClaim,
  skipWithout,
} from './proof-check.ts'
import { addressChecks, signatureChecks, timeChecks } from './request-checks.ts'

/** A parsed proof in the form of a URL. */
export interface UrlParts extends ProofParts {
  /** The text after the prefix; `undefined` if the prefix is missing. */
  readonly encoded: string | undefined
  readonly text: string | undefined
  /** The values by their names; `undefined` if the query is not accepted. */
  readonly parameters: ReadonlyMap<string, string> | undefined
}

/** Parses a URL in base64url after a prefix. A proof that is too large is not parsed; pure. */
export function parseUrlProof(token: string, prefix: string): UrlParts {
  const bytes = Buffer.byteLength(token)
  const isRead = bytes <= longestUrlProofBytes && token.startsWith(prefix)
  const encoded = isRead ? token.slice(prefix.length) : undefined
  const text = encoded === undefined ? undefined : decodeCanonical(encoded, 'base64url')
  const address = text === undefined ? undefined : parseAddress(text)
  const parameters = address && !validateQuery(address) ? new Map(toPairs(address)) : undefined
  return { bytes, encoded, text, address, parameters, claim: parameters && toClaim(parameters) }
}

/** The parameters of a proof, as AWS spells them. */
const known = [
  ...['Action', 'Version'],
  ...['Algorithm', 'Credential', 'Date', 'Expires', 'Security-Token', 'Signature', 'SignedHeaders'].map(
    (name) => `X-Amz-${name}`,
  ),
]

/**
 * AWS escapes no character of a name, and only some of a value. Any other spelling is rejected, because parsers could read it differently.
 */
const pair = /^([A-Za-z0-9-]+)=((?:[\w.~-]|%[0-9A-Fa-f]{2})*)$/

/** Finds the problem of a proof's query, in words. */
function validateQuery({ query = '' }: ProofAddress): string | undefined {
  const texts = query.split('&')
  if (texts.some((text) => !isDecodable(text))) return 'the query is malformed'
  const names = texts.map((text) => text.split('=')[0]!)
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return 'the query has a parameter twice'
  // AWS STS recognizes these names only in this letter case.
  return names.every((name) => known.includes(name)) ? undefined : 'the query has a parameter that no proof has'
}

function isDecodable(text: string): boolean {
  if (!pair.test(text)) return false
  try {
    return isPrintable(decodeURIComponent(text))
  } catch {
    return false // not UTF-8
  }
}

function toPairs({ query = '' }: ProofAddress): [name: string, value: string][] {
  return query.split('&').map((text) => {
    const [, name = '', value = ''] = pair.exec(text) ?? []
    return [name, decodeURIComponent(value)]
  })
}

function toClaim(parameters: ReadonlyMap<string, string>): SignatureClaim {
  return {
    algorithm: parameters.get('X-Amz-Algorithm'),
    credential: parameters.get('X-Amz-Credential'),
    date: parameters.get('X-Amz-Date'),
    signedHeaders: parameters.get('X-Amz-SignedHeaders')?.split(';') ?? [],
    signature: parameters.get('X-Amz-Signature'),
  }
}

/** Every check of a proof that is a URL. The first one that fails is the reason of the refusal. */
export const urlChecks: readonly ProofCheck<UrlParts>[] = [
  createSizeCheck(longestUrlProofBytes),
  {
    name: 'prefix',
    find: ({ encoded, bytes }, { trust }) => {
      if (bytes > longestUrlProofBytes) return 'skipped'
      return encoded === undefined
        ? { reason: 'unknown-kind', note: `it does not begin with ${trust.prefix}` }
        : undefined
    },
    holds: (_, { trust }) => `it begins with ${trust.prefix || 'no prefix'}`,
  },
  {
    name: 'encoding',
    find: skipWithout('encoded', (_, { text }) =>
      text === undefined ? rejectForm('it is not base64url as an encoder writes it, without padding') : undefined,
    ),
    holds: 'it is base64url as an encoder writes it',
  },
  {
    name: 'url',
    find: skipWithout('text', (_, { address }) => (address ? undefined : rejectForm('the encoded text is not a URL'))),
    holds: 'it is an absolute URL',
  },
  ...addressChecks,
  createPathCheck(({ path, fragment }) => path === '/' && fragment === undefined),
  {
    name: 'parameters',
    find: skipWithout('address', (address) => {
      const problem = validateQuery(address)
      return problem === undefined ? undefined : rejectForm(problem)
    }),
    holds: 'they are those of a proof, each once',
  },
  {
    name: 'action',
    find: skipWithout('parameters', (parameters) => {
      const { Action, Version } = callerIdentityAction
      const isAsked = parameters.get('Action') === Action && parameters.get('Version') === Version
      return isAsked ? undefined : rejectForm(`the request is not ${Action} of ${Version}`)
    }),
    holds: `it is ${callerIdentityAction.Action} of ${callerIdentityAction.Version}`,
  },
  {
    name: 'audience',
    find: validateAudience,
    holds: (_, { trust: { audience } }) =>
      audience === 'none' ? 'none is signed' : `${audience.header} is signed, whose value AWS STS compares`,
  },
  ...signatureChecks,
  {
    name: 'expires',
    find: skipWithout('parameters', (parameters) => {
      const expires = parameters.get('X-Amz-Expires') ?? ''
      if (!/^\d{1,9}$/.test(expires)) return rejectForm('X-Amz-Expires is not a number of seconds')
      if (Number(expires) <= proofLifeSec) return undefined
      return { reason: 'too-old', note: `X-Amz-Expires is ${Number(expires)}, above ${proofLifeSec}` }
    }),
    holds: ({ parameters }) => `X-Amz-Expires is ${parameters?.get('X-Amz-Expires')}, which AWS STS ignores`,
  },
  ...timeChecks,
]

/**
 * The URL names the audience's header but not its value. AWS STS compares the value: our request to AWS STS carries this gateway's own
 * audience, so a signature over another one is invalid.
 */
function validateAudience({ claim }: UrlParts, { trust: { audience } }: ProofTerms) {
  if (!claim) return 'skipped'
  const others = claim.signedHeaders.filter((name) => name !== 'host')
  if (audience === 'none')
    return others.length > 0
      ? ({ reason: 'audience', note: 'it names an audience in a signed header, and none is accepted here' } as const)
      : undefined
  if (!others.includes(audience.header)) return rejectUnsigned(audience.header)
  return others.length > 1 ? rejectForm('a header is signed that nobody can send') : undefined
}
