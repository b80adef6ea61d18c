import { proofForms, proofLifeSec } from '../../../contract/aws-identity/caller-identity.ts'
import { partitions } from '../../../contract/aws-partitions.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Fetch } from '../../../runtime/network/fetch/network-fetch.ts'
import { type ProofFacts, parseProofFacts } from '../../../runtime/tokens/proof-facts.ts'
import { examineProof } from '../../../verify/aws/proof/parse-proof.ts'
import type { AwsTrust } from '../../../verify/policy/policy.ts'
import type { Fact } from '../describe/description.ts'
import { renderValue } from '../describe/shown-claims.ts'
import { askSts } from './ask-sts.ts'
import { toTokenChecks } from './to-token-checks.ts'
import type { TokenCheck } from './token-check.ts'
import { clockSkewSec } from './validate-life.ts'

/** What a proof of an AWS identity is compared with, as far as it was named. */
export interface ProofTerms {
  readonly audiences: readonly string[]
  /** The header that is signed with the audience; the usual one of the proof's form if `undefined`. */
  readonly audienceHeader: string | undefined
  /** `asked`: the proof is sent to the host of AWS STS that it names, once everything else holds. */
  readonly sts: 'asked' | 'not asked'
}

/**
 * Makes every check of a proof of an AWS identity. @returns The checks, and what AWS STS says of whose it is.
 * @throws {HelperError} `usage` for more than one audience of a proof that does not state its own.
 */
export async function checkProof(
  token: string,
  terms: ProofTerms,
  { now, fetch }: { readonly now: number; readonly fetch: Fetch },
): Promise<{ checks: TokenCheck[]; facts: Fact[] }> {
  const stated = parseProofFacts(token)
  const trust = toTrust(terms, stated)
  const context = { trust, now, clockSkewSec }
  const open = findOpenAudience(terms, stated)
  // A login of Vault has no prefix where servers check it; whoever puts one before it has it taken away.
  const proof = stated?.form === 'vault' ? token.slice(stated.prefix.length) : token
  const checks = toTokenChecks(examineProof(proof, context), open ? [open] : [])
  if (terms.sts === 'not asked') return { checks: [...checks, notAsked], facts: [] }
  const missing = checks.find(({ status }) => status === 'unmet' || status === 'unknown')
  if (missing)
    return { checks: [...checks, toUnsent(`it was not asked, because of the check ${missing.name}`)], facts: [] }
  if (open && stated?.form === 'url' && stated.audience.length > 0)
    return {
      checks: [...checks, { ...toUnsent('it cannot be asked without the audience'), hint: 'name it: --audience' }],
      facts: [],
    }
  const asked = await askSts(proof, { ...context, fetch })
  return { checks: [...checks, asked.check], facts: asked.facts }
}

/** What is said where AWS STS is not to be asked. */
export const notAsked: TokenCheck = {
  name: 'sts',
  status: 'not asked',
  message: 'not verified: only AWS STS can say whose it is; --sts sends the proof to the host of AWS STS that it names',
}

function toUnsent(message: string): TokenCheck {
  return { name: 'sts', status: 'unknown', message }
}

function toTrust({ audiences, audienceHeader }: ProofTerms, stated: ProofFacts | undefined): AwsTrust {
  const { form = 'url', prefix = '', audience: signed = [] } = stated ?? {}
  const usual = proofForms[form].audienceHeader.toLowerCase()
  return {
    audience: toAudience(selectAudience(audiences, signed), audienceHeader?.toLowerCase() ?? usual, signed),
    prefix: form === 'url' ? prefix : '',
    partitions: partitions.map(({ id }) => id),
    longestAgeSec: proofLifeSec,
  }
}

type SignedHeaders = ProofFacts['audience']

/** Of several names the one that the proof states. */
function selectAudience(audiences: readonly string[], signed: SignedHeaders): string | undefined {
  const own = audiences.find((name) => signed.some(({ value }) => value === name))
  if (audiences.length > 1 && signed.some(({ value }) => value === undefined))
    throw new HelperError(
      'usage',
      'a proof that is a URL does not say which audience is its own',
      'name one: --audience',
    )
  return own ?? audiences[0]
}

/** Where none was named, whatever the proof has: only then can AWS STS be asked. */
function toAudience(wanted: string | undefined, usual: string, signed: SignedHeaders): AwsTrust['audience'] {
  if (wanted !== undefined) return { header: usual, value: wanted }
  const [first] = signed
  return first === undefined ? 'none' : { header: first.header, value: first.value ?? '' }
}

function findOpenAudience({ audiences }: ProofTerms, stated: ProofFacts | undefined): TokenCheck | undefined {
  if (audiences.length > 0 || !stated) return undefined
  return { name: 'audience', status: 'not asked', message: describeAudience(stated.audience) }
}

function describeAudience([first]: SignedHeaders): string {
  if (!first) return 'none is signed, so that any server can use the proof'
  if (first.value === undefined) return 'it is signed, and not in the proof; --audience names it'
  return `it is for ${renderValue(first.value)}; --audience compares it`
}
