// Folder: the policy of a verifier: its rules, patterns and headers, the file that holds them, and its validation.

import type { ClaimPath } from '../../runtime/tokens/claim-path.ts'
import type { ClaimTemplate } from './header-template.ts'
import type { ProtectedResource } from './protected-resource.ts'
import type { RequestCondition } from './request-condition.ts'
import type { RequestLimitSettings, RequestRate } from './request-rate.ts'

/** The location of an issuer's keys: discovered, at an address, or inline from the policy file or a file beside it. */
export type IssuerKeys = 'discovered' | { readonly url: string } | { readonly inline: JsonWebKeySet }

/** A set of public keys (RFC 7517, section 5). */
export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/** An issuer whose JWTs may pass, and what they have to say. */
export interface JwtTrust {
  /** Compared with the claim `iss`, character by character. */
  readonly issuer: string
  readonly keys: IssuerKeys
  /** The audiences of which one has to be in the claim `aud`; never empty. */
  readonly audiences: readonly string[]
  /** The values of `alg` that are accepted, asymmetric ones only (RFC 7518, section 3.1). */
  readonly algorithms: readonly string[]
  /** The values of `typ` that are accepted; any if absent. */
  readonly types?: readonly string[]
  /** Its tokens have to be bound to one of these; bearer tokens are accepted too if absent. */
  readonly boundTo?: readonly ('certificate' | 'key')[]
  /** In seconds: how long a token may live, from `iat` to `exp`, and how old it may be; no bound if absent. */
  readonly longestLifeSec?: number
  readonly longestAgeSec?: number
  /** The audiences of its logout tokens and security events; none are accepted if absent. */
  readonly eventAudiences?: readonly string[]
  /** How its provider is asked whether its tokens are active; it is not asked if absent. */
  readonly introspection?: IntrospectionSettings
}

/** The introspection endpoint of a provider (RFC 7662), and the client that the verifier is there. */
export interface IntrospectionSettings {
  readonly url: string
  readonly clientId: string
  /** The file with which the client authenticates: of its secret, or of the key that signs its assertions (RFC 7523, section 2.2). The policy holds neither of them. */
  readonly proof: { readonly kind: 'secret' | 'key'; readonly file: string }
  /** Whether the provider has to sign its answers (RFC 9701). */
  readonly answers: 'plain' | 'signed'
  /** Decides about tokens that are not JWTs: at most one provider of a policy is asked about them. */
  readonly opaqueTokens: 'refused' | 'asked'
  /** How long a token passes without asking again, in seconds; 0 to ask for each request. */
  readonly cacheSec: number
  /** The treatment of tokens while the provider gives no good answer. */
  readonly whileUnavailable: 'refuse' | 'pass'
}

/** The accepted proofs of an AWS identity: presigned `GetCallerIdentity` requests. */
export interface AwsTrust {
  /** The signed header that names the audience, in lower case, and its value; `none` if proofs need not name one. */
  readonly audience: { readonly header: string; readonly value: string } | 'none'
  /** The text before the proof, such as `k8s-aws-v1.`; may be empty. */
  readonly prefix: string
  /** Ids of partitions, such as `aws`. */
  readonly partitions: readonly string[]
  /** In seconds, at most 900. */
  readonly longestAgeSec: number
}

/** A claim and its patterns, where `*` stands for any text. At least one pattern has to match the claim, or one item of a list. */
export interface ClaimCondition {
  readonly claim: ClaimPath
  readonly patterns: readonly string[]
}

/** A header that names the caller to the server behind the gateway. */
interface PolicyHeader {
  /** In lower case. */
  readonly name: string
  readonly value: ClaimTemplate
}

/** A rule lets a token pass if everything in it holds; the first rule that holds counts. */
export interface PolicyRule {
  readonly name: string
  /** The issuer of {@link JwtTrust}, or `aws`. */
  readonly identities: { readonly issuer: string } | 'aws'
  /** Without conditions, everyone of the issuer passes. For AWS the claims are those of `Identity`. */
  readonly conditions: readonly ClaimCondition[]
  /** Scopes that the token has to have, all of them. */
  readonly scopes?: readonly string[]
  /** Absent if it holds for every request. */
  readonly request?: RequestCondition
  readonly headers: readonly PolicyHeader[]
  /** Whether a token passes more than once. */
  readonly use: 'many times' | 'once'
  /** How often each caller passes by this rule, in place of the limit of all callers. */
  readonly limit?: RequestRate
  /** Set if the provider is not asked about tokens that pass by this rule. */
  readonly introspection?: 'skipped'
}

/** A policy that was read and validated, with the defaults filled in. */
export interface Policy {
  readonly jwt: readonly JwtTrust[]
  readonly aws: AwsTrust | undefined
  readonly rules: readonly PolicyRule[]
  /** The resource behind the gateway; absent if the policy does not name it. */
  readonly resource?: ProtectedResource
  /** The tolerated difference between clocks, in seconds. */
  readonly clockSkewSec: number
  readonly limits?: RequestLimitSettings
}
