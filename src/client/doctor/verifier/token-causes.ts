import { type AuthScheme, knownTokenHeaders } from '../../../contract/headers.ts'
import { refusalReasons, usualClockSkewSec } from '../../../contract/refusal-reasons.ts'
import { clockHint, describeClockDifference } from '../../../runtime/failure.ts'
import { programName } from '../../../version.ts'
import type { StatedToken } from './stated-token.ts'

/** The facts that explain the reason of a refusal. */
export interface VerifierRefusalFacts {
  readonly stated: StatedToken
  /** The verifier's detail, on one line. */
  readonly detail: string | undefined
  readonly authScheme: AuthScheme
  /** The other headers of the request. */
  readonly headerNames: readonly string[]
  /** How many seconds this machine's clock is ahead of the gateway's; `undefined` if unknown. */
  readonly aheadSec: number | undefined
  /** The remaining life of the token in seconds, by this machine's clock; `undefined` if the token states no end. */
  readonly leftSec: number | undefined
}

/** The cause of a refusal, and the way out in the imperative. */
export interface RefusalCause {
  readonly cause: string
  readonly hint: string
}

/** Causes in the token itself, or in how it is sent. */
export const tokenCauses = {
  'no-token': ({ authScheme }) => ({
    cause: `the gateway found no token in the request; it was sent as ${authScheme}`,
    hint: `set authScheme to "${toOtherScheme(authScheme)}" and try again, or have the gateway's operators read the token from where it is`,
  }),
  'several-tokens': ({ headerNames }) => {
    const others = listOtherCredentials(headerNames)
    const cause = 'the request has more than one token, or one header twice, and the gateway takes neither'
    if (others.length > 0)
      return { cause, hint: `remove ${others.join(' and ')} from customHeaders and from the helper` }
    return { cause, hint: "ask the gateway's operators which proxy in between adds a token of its own" }
  },
  malformed: ({ stated }) => ({
    cause: `the gateway cannot read the token, which is ${stated.title}`,
    hint: `look at what the helper prints: ${programName} verify -- followed by its command; choose one for this gateway: ${programName} choose`,
  }),
  'unknown-kind': ({ stated, detail }) => ({
    cause: join(`the gateway takes no tokens of this kind, which is ${stated.title}`, detail),
    hint: `ask the gateway's operators which kind it takes, and choose a helper for that: ${programName} choose`,
  }),
  algorithm: ({ stated }) => ({
    cause: `the gateway does not take tokens that are signed by ${stated.algorithm ?? 'this algorithm'}`,
    hint: 'have the identity provider sign with one that the gateway takes, or have its operators accept this one',
  }),
  issuer: ({ stated }) => ({
    cause:
      stated.issuer === undefined
        ? 'the token names no issuer'
        : `the gateway does not trust the issuer of the token, ${stated.issuer}`,
    hint: `have the gateway's operators add that issuer to the policy, as it is written here, or use the identity provider that they trust`,
  }),
  'unknown-key': ({ stated }) => ({
    cause: `the token is signed with a key that its issuer ${stated.issuer ?? ''} does not publish`.replace('  ', ' '),
    hint: `run \`${programName} cache clear\`, so that the helper gets a new token, for a key may have been withdrawn; if that is refused too, tell the identity provider's operators`,
  }),
  signature: () => ({
    cause: 'the signature of the token does not hold: it was changed on the way, or somebody else has made it',
    hint: `see whether it holds here: ${programName} verify --issuer URL -- followed by the helper's command; if not, clear what is kept: ${programName} cache clear`,
  }),
  audience: explainAudience,
  expired: (facts) => explainTime(refusalReasons.expired.summary, facts),
  'not-yet-valid': (facts) => explainTime(refusalReasons['not-yet-valid'].summary, facts),
  'too-old': ({ detail }) => ({
    cause: join('the token is older, or lives longer, than the gateway accepts', detail),
    hint: "have the helper make tokens with a shorter life (--lifetime, where it has that option), and set ttlSec no higher than the age that the gateway's operators accept",
  }),
} satisfies Readonly<Record<string, (facts: VerifierRefusalFacts) => RefusalCause>>

/** Converts the way in which a token was sent to the other one that clients know. */
export function toOtherScheme(authScheme: AuthScheme): AuthScheme {
  return authScheme === 'bearer' ? 'x-api-key' : 'bearer'
}

/** Lists the headers of the request in which gateways also look for a token. */
export function listOtherCredentials(headerNames: readonly string[]): string[] {
  return headerNames.filter((name) => knownTokenHeaders.some((known) => known === name.toLowerCase()))
}

/** Adds the gateway's detail to a sentence. */
export function join(sentence: string, detail: string | undefined): string {
  return detail === undefined ? sentence : `${sentence}: ${detail}`
}

/** The kind of the token determines where its audience is set. */
function explainAudience({ stated, detail }: VerifierRefusalFacts): RefusalCause {
  const stating = stated.audience === undefined ? undefined : `it is for ${stated.audience}`
  const cause = join('the token is for another audience than this gateway', detail ?? stating)
  const expected = 'the name that the gateway expects'
  if (stated.kind === 'aws-identity' || stated.arn !== undefined)
    return { cause, hint: `set the helper's option --audience to ${expected}` }
  if (stated.title.startsWith('an ID token') && !stated.audience?.includes('://'))
    // a URL names a gateway, not a client
    return {
      cause,
      hint: `have the gateway's operators accept the audience ${stated.audience ?? ''}, which is the client that signed in; or send an access token: bearer-token-type access_token, with scopes of the gateway`,
    }
  return {
    cause,
    hint: `ask for a token for ${expected}: by --audience, or by the scopes or the resource of the gateway`,
  }
}

function explainTime(cause: string, { aheadSec, leftSec }: VerifierRefusalFacts): RefusalCause {
  if (aheadSec !== undefined && Math.abs(aheadSec) > usualClockSkewSec)
    return {
      cause: `${cause}; ${describeClockDifference(aheadSec * 1000, "the gateway's")}`,
      hint: clockHint,
    }
  if (leftSec !== undefined && leftSec > usualClockSkewSec)
    return {
      cause: `${cause}, although by this machine's clock it has ${leftSec} s left`,
      hint: 'compare the clocks of this machine, of the gateway and of whoever issues the token',
    }
  return {
    cause,
    hint: `run \`${programName} cache clear\`, so that the helper gets a new token; if that is refused too, compare the clock of whoever issues it`,
  }
}
