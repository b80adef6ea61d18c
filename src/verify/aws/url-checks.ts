import { callerIdentityAction, longestUrlProofBytes, proofLifeSec } from '../../contract/aws/caller-identity.ts'
import { type UrlParts, validateQuery } from './parse-url-proof.ts'
import { createSizeCheck, type ProofCheck, type ProofTerms, rejectForm, rejectUnsigned } from './proof-check.ts'
import { addressChecks, signatureChecks, timeChecks } from './request-checks.ts'

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
    find: ({ encoded, text }) => {
      if (encoded === undefined) return 'skipped'
      return text === undefined ? rejectForm('it is not base64url as an encoder writes it, without padding') : undefined
    },
    holds: 'it is base64url as an encoder writes it',
  },
  {
    name: 'url',
    find: ({ text, address }) => {
      if (text === undefined) return 'skipped'
      return address ? undefined : rejectForm('the encoded text is not a URL')
    },
    holds: 'it is an absolute URL',
  },
  ...addressChecks,
  {
    name: 'path',
    find: ({ address }) => {
      if (!address) return 'skipped'
      const isPlain = address.path === '/' && address.fragment === undefined
      return isPlain ? undefined : rejectForm('the path is not / alone')
    },
    holds: 'it is / alone',
  },
  {
    name: 'parameters',
    find: ({ address }) => {
      if (!address) return 'skipped'
      const problem = validateQuery(address)
      return problem === undefined ? undefined : rejectForm(problem)
    },
    holds: 'they are those of a proof, each once',
  },
  {
    name: 'action',
    find: ({ parameters }) => {
      if (!parameters) return 'skipped'
      const { Action, Version } = callerIdentityAction
      const isAsked = parameters.get('Action') === Action && parameters.get('Version') === Version
      return isAsked ? undefined : rejectForm(`the request is not ${Action} of ${Version}`)
    },
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
    find: ({ parameters }) => {
      if (!parameters) return 'skipped'
      const expires = parameters.get('X-Amz-Expires') ?? ''
      if (!/^\d{1,9}$/.test(expires)) return rejectForm('X-Amz-Expires is not a number of seconds')
      if (Number(expires) <= proofLifeSec) return undefined
      return { reason: 'too-old', note: `X-Amz-Expires is ${Number(expires)}, above ${proofLifeSec}` }
    },
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
