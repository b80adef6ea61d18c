import { proofForms, proofLifeSec } from '../../contract/aws/caller-identity.ts'
import { partitions } from '../../contract/aws/partitions.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { type ProofFacts, parseProofFacts } from '../../runtime/tokens/proof-facts.ts'
import { examineProof } from '../../verify/aws/parse-proof.ts'
import { type CallerContext, verifyCallerIdentity } from '../../verify/aws/verify-caller-identity.ts'
import type { AwsTrust } from '../../verify/policy/policy.ts'
import { type Identity, TokenRefusal } from '../../verify/verdict.ts'
import { clockSkewSec } from './keyless-checks.ts'
import { type Fact, renderValue } from './shown-claims.ts'
import { type TokenCheck, toTokenCheck, toTokenChecks } from './token-check.ts'

/** The values to compare with a proof of an AWS identity, as far as they were given. */
export interface ProofCheckTerms {
  readonly audiences: readonly string[]
  /** The signed header of the audience; if `undefined`, the usual one of the proof's form. */
  readonly audienceHeader: string | undefined
  /** `asked`: the proof is sent to its host of AWS STS, after all other checks have passed. */
  readonly sts: 'asked' | 'not asked'
}

/**
 * Makes every check of a proof of an AWS identity.
 * @returns The checks, and the identity from AWS STS.
 * @throws {HelperError} `usage` for more than one audience of a proof that does not state its own.
 */
export async function checkProof(
  token: string,
  terms: ProofCheckTerms,
  { now, fetch }: { readonly now: number; readonly fetch: Fetch },
): Promise<{ checks: TokenCheck[]; facts: Fact[] }> {
  const stated = parseProofFacts(token)
  const trust = toTrust(terms, stated)
  const context = { trust, now, clockSkewSec }
  const open = findOpenAudience(terms, stated)
  // Servers check a login of Vault without a prefix, which a person may have added.
  const proof = stated?.form === 'vault' ? token.slice(stated.prefix.length) : token
  const checks = toTokenChecks(examineProof(proof, context), open ? [open] : [])
  if (terms.sts === 'not asked') return { checks: [...checks, notAsked], facts: [] }
  const missing = checks.find(({ status }) => status === 'unmet' || status === 'unknown')
  if (missing)
    return {
      checks: [...checks, toUnsent(`AWS STS was not asked, because the check ${missing.name} failed`)],
      facts: [],
    }
  if (open && stated?.form === 'url' && stated.audience.length > 0)
    return {
      checks: [
        ...checks,
        { ...toUnsent('AWS STS cannot be asked without the audience'), hint: 'pass the audience with --audience' },
      ],
      facts: [],
    }
  const asked = await askSts(proof, { ...context, fetch })
  return { checks: [...checks, asked.check], facts: asked.facts }
}

/** Sends a proof to AWS STS, and describes its owner. */
export async function askSts(
  token: string,
  context: CallerContext,
): Promise<{ check: TokenCheck; facts: Fact[]; identity?: Identity }> {
  try {
    const identity = await verifyCallerIdentity(token, context)
    const facts = Object.entries(identity.claims).map(([name, value]) => ({ name, value: renderValue(value) }))
    const message = `AWS STS says that it is ${renderValue(identity.subject)}`
    return { check: { name: 'sts', status: 'met', message }, facts, identity }
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error
    const { reason, detail, note, message } = error
    return { check: toTokenCheck({ name: 'sts', outcome: 'fail', reason, note: detail ?? note ?? message }), facts: [] }
  }
}

/** The check of a proof that is not sent to AWS STS. */
export const notAsked: TokenCheck = {
  name: 'sts',
  status: 'not asked',
  message: 'not verified: only AWS STS can say whose it is; --sts sends the proof to the host of AWS STS that it names',
}

function toTrust({ audiences, audienceHeader }: ProofCheckTerms, stated: ProofFacts | undefined): AwsTrust {
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

/** Selects the given name that the proof states, else the first. */
function selectAudience(audiences: readonly string[], signed: SignedHeaders): string | undefined {
  const signedAudience = audiences.find((name) => signed.some(({ value }) => value === name))
  if (audiences.length > 1 && signed.some(({ value }) => value === undefined))
    throw new HelperError(
      'usage',
      'a proof that is a URL does not say which audience is its own',
      'pass an audience with --audience',
    )
  return signedAudience ?? audiences[0]
}

/** Returns the given audience, else that of the proof, because a request to AWS STS needs one. */
function toAudience(wanted: string | undefined, usual: string, signed: SignedHeaders): AwsTrust['audience'] {
  if (wanted !== undefined) return { header: usual, value: wanted }
  const [first] = signed
  return first === undefined ? 'none' : { header: first.header, value: first.value ?? '' }
}

function findOpenAudience({ audiences }: ProofCheckTerms, stated: ProofFacts | undefined): TokenCheck | undefined {
  if (audiences.length > 0 || !stated) return undefined
  return { name: 'audience', status: 'not asked', message: describeAudience(stated.audience) }
}

function toUnsent(message: string): TokenCheck {
  return { name: 'sts', status: 'unknown', message }
}

function describeAudience([first]: SignedHeaders): string {
  if (!first) return 'no audience is signed, so any server can use the proof'
  if (first.value === undefined) return 'the audience is signed, but is not part of the proof: pass it with --audience'
  return `it is for ${renderValue(first.value)}; --audience compares it`
}
