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

/** An issuer whose JWTs may pass, and what its tokens must contain. */
export interface JwtTrust {
  /** The exact value of the claim `iss`. */
  readonly issuer: string
  readonly keys: IssuerKeys
  /** The claim `aud` must contain one of these; never empty. */
  readonly audiences: readonly string[]
  /** The accepted values of `alg`, asymmetric ones only (RFC 7518, section 3.1). */
  readonly algorithms: readonly string[]
  /** The accepted values of `typ`; any if absent. */
  readonly types?: readonly string[]
  /** Its tokens must be bound to one of these; if absent, bearer tokens are accepted too. */
  readonly boundTo?: readonly ('certificate' | 'key')[]
  /** In seconds: the longest time from `iat` to `exp`; no limit if absent. */
  readonly longestLifeSec?: number
  /** In seconds: the longest time since `iat`; no limit if absent. */
  readonly longestAgeSec?: number
  /** The audiences of its logout tokens and security events; if absent, no such token is accepted. */
  readonly eventAudiences?: readonly string[]
  /** How its provider is asked whether tokens are active; if absent, no request is sent. */
  readonly introspection?: IntrospectionSettings
}

/** A provider's introspection endpoint (RFC 7662), and the verifier's client there. */
export interface IntrospectionSettings {
  readonly url: string
  readonly clientId: string
  /**
   * The file that authenticates the client: it holds the client's secret, or the key that signs its assertions (RFC 7523, section 2.2). The
   * policy holds only the name.
   */
  readonly proof: { readonly kind: 'secret' | 'key'; readonly file: string }
  /** Whether the provider must sign its answers (RFC 9701). */
  readonly answers: 'plain' | 'signed'
  /** Whether this provider decides about tokens that are not JWTs; at most one provider of a policy does. */
  readonly opaqueTokens: 'refused' | 'asked'
  /** How long a token passes without another request, in seconds; 0 for a request each time. */
  readonly cacheSec: number
  /** The treatment of tokens while the provider gives no good answer. */
  readonly whileUnavailable: 'refuse' | 'pass'
}

/** The accepted proofs of an AWS identity: presigned `GetCallerIdentity` requests. */
export interface AwsTrust {
  /** The signed header that names the audience, in lower case, and its value; `none` if a proof must name none. */
  readonly audience: { readonly header: string; readonly value: string } | 'none'
  /** The text before the proof, such as `k8s-aws-v1.`; may be empty. */
  readonly prefix: string
  /** Ids of partitions, such as `aws`. */
  readonly partitions: readonly string[]
  /** In seconds, at most 900. */
  readonly longestAgeSec: number
}

/** A claim and its patterns, in which `*` matches any text. At least one pattern must match the claim, or one item of a list. */
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

/** A rule lets a token pass if all its conditions are met. The first rule that matches is used. */
export interface PolicyRule {
  readonly name: string
  /** The issuer of {@link JwtTrust}, or `aws`. */
  readonly identities: { readonly issuer: string } | 'aws'
  /** Without conditions, every token of the issuer passes. For AWS the claims are those of `Identity`. */
  readonly conditions: readonly ClaimCondition[]
  /** The scopes that the token must have, all of them. */
  readonly scopes?: readonly string[]
  /** Absent if the rule applies to every request. */
  readonly request?: RequestCondition
  readonly headers: readonly PolicyHeader[]
  /** Whether a token may pass more than once. */
  readonly use: 'many times' | 'once'
  /** The rate of each caller under this rule, instead of the policy's rate. */
  readonly limit?: RequestRate
  /** Set if the provider gets no request about tokens that pass by this rule. */
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
