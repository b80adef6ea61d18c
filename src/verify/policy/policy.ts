import type { ClaimPath } from './claim-path.ts'
import type { HeaderTemplate } from './header-template.ts'

/** Where the keys of an issuer are: found by its discovery document, at an address, or in the policy file or one beside it. */
export type IssuerKeys = 'discovered' | { readonly url: string } | { readonly inline: JsonWebKeySet }

/** A set of public keys (RFC 7517, section 5). */
export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/** An issuer of JWTs that is trusted. */
export interface JwtTrust {
  /** Compared with the claim `iss` as it is. */
  readonly issuer: string
  readonly keys: IssuerKeys
  /** One of them has to be in the claim `aud`; never empty. */
  readonly audiences: readonly string[]
  /** The values of `alg` that are accepted, asymmetric ones only (RFC 7518, section 3.1). */
  readonly algorithms: readonly string[]
  /** The values of `typ` that are accepted; any if absent. */
  readonly types?: readonly string[]
  /** In seconds: how long a token may live, from `iat` to `exp`, and how old it may be; no bound if absent. */
  readonly longestLifeSec?: number
  readonly longestAgeSec?: number
}

/** Which proofs of an AWS identity are accepted: presigned `GetCallerIdentity` requests. */
export interface AwsTrust {
  /** The header that is signed with the audience, in lower case, and its value; `none` where proofs need not name one. */
  readonly audience: { readonly header: string; readonly value: string } | 'none'
  /** The words before the proof, such as `k8s-aws-v1.`; an empty text for none. */
  readonly prefix: string
  /** Ids of partitions, such as `aws`. */
  readonly partitions: readonly string[]
  /** In seconds, at most 900. */
  readonly longestAgeSec: number
}

/** A claim, and the patterns of which one has to match it, where `*` stands for any text; of a list, one item has to match. */
export interface ClaimCondition {
  readonly claim: ClaimPath
  readonly patterns: readonly string[]
}

/** A header that names the caller to what is behind the gateway. */
export interface PolicyHeader {
  /** In lower case. */
  readonly name: string
  readonly value: HeaderTemplate
}

/** Whose tokens pass, if everything in it holds; the first rule that holds counts. */
export interface PolicyRule {
  readonly name: string
  /** The issuer of {@link JwtTrust}, or `aws`. */
  readonly identities: { readonly issuer: string } | 'aws'
  /** Everyone of the issuer passes where there is none. For AWS the claims are those of `Identity`. */
  readonly conditions: readonly ClaimCondition[]
  readonly headers: readonly PolicyHeader[]
  /** Whether a token passes more than once. */
  readonly use: 'many times' | 'once'
}

/** What a verifier lets pass: a policy file, read. */
export interface Policy {
  readonly jwt: readonly JwtTrust[]
  readonly aws: AwsTrust | undefined
  readonly rules: readonly PolicyRule[]
  /** By how much clocks may differ, in seconds. */
  readonly clockSkewSec: number
}
