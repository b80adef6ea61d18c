/** The endpoints of the provider, as lies and records name them. The grants of the token endpoint are told apart. */
const endpoints = [
  ...(['discovery', 'keys', 'push', 'authorize', 'token', 'refresh', 'device', 'poll', 'revoke'] as const),
] as const
export type Endpoint = (typeof endpoints)[number]

/** Members of an answer that differ from the honest ones; `undefined` leaves a member out. */
export type Members = Readonly<Record<string, unknown>>

/** The provider's key that signs. A key that is not published, or none at all, is a forgery. */
export type Signer =
  | 'first'
  | 'second'
  | 'unpublished'
  | 'rsa'
  | 'nobody'
  | 'the client id'
  | 'the published key as a secret'

/** How an ID token differs from an honest one. */
export interface IdTokenLies {
  readonly claims?: Members
  readonly header?: Members
  readonly signer?: Signer
  /** The signature is one of another text. */
  readonly signature?: 'wrong'
}

/** The keys at `jwks_uri`. */
export interface KeyLies {
  readonly published?: readonly ('first' | 'second' | 'rsa')[]
  /** In their place, once a token was asked for. */
  readonly later?: readonly ('first' | 'second' | 'rsa')[]
  readonly kid?: 'absent'
}

/** An answer in place of the honest one. */
export type Answer =
  /** Text as it is, or JSON. */
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown }
  /** A sign-in page of somebody else's, as a captive portal shows it. */
  | 'html'
  /** More than anybody reads. */
  | 'huge'
  /** A byte now and then, without an end. */
  | 'drip'
  | 'silence'
  | 'reset'
  /** A redirect to {@link LyingProvider.elsewhere} that keeps method and body. */
  | 'elsewhere'

/** Everything in which the provider is not honest. */
export interface Lies {
  /** For `authorize` they are parameters with which the browser is sent back. */
  readonly members?: Partial<Readonly<Record<Endpoint, Members>>>
  /** One for each request; the last for all that follow. */
  readonly answers?: Partial<Readonly<Record<Endpoint, Answer | readonly (Answer | 'honest')[]>>>
  readonly idToken?: IdTokenLies
  /** Further lies in ID tokens that come with a refresh. */
  readonly renewedIdToken?: IdTokenLies | 'none'
  readonly keys?: KeyLies
  readonly clock?: ClockLies
}

/** A provider whose clock is wrong. */
export interface ClockLies {
  readonly aheadSec: number
  /** Whether its answers say which time it is. */
  readonly date: 'sent' | 'absent'
}

/** Returns honest members, with those of the lie in their place. */
export function mergeMembers(honest: Members, lie: Members = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...honest, ...lie }).filter(([, value]) => value !== undefined))
}

/** Lies with the provider's own address in place of `ISSUER`, which nobody knows before it runs. */
export function fillIssuer<T>(lies: T, issuer: string): T {
  if (typeof lies === 'string') return lies.replaceAll('ISSUER', issuer) as T & string
  if (typeof lies !== 'object' || lies === null) return lies
  if (Array.isArray(lies)) return lies.map((lie) => fillIssuer(lie, issuer)) as T & unknown[]
  return Object.fromEntries(Object.entries(lies).map(([name, lie]) => [name, fillIssuer(lie, issuer)])) as T
}
