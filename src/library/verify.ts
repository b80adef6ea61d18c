/**
 * The exports of `gatepass/verify`: the verifier of `gatepass gateway verifier`, for a server of one's own. Like `client.ts` it only
 * names what others define.
 */
export { type RefusalReason, refusalReasons } from '../contract/refusal-reasons.ts'
export { type FailureKind, HelperError } from '../runtime/failure.ts'
export type { Fetch } from '../runtime/network/network-fetch.ts'
export { type NetworkOptions, type NetworkSettings, toNetworkSettings } from '../runtime/network/settings.ts'
export { createStreamFetch } from '../runtime/network/stream-fetch.ts'
export { createIssuerKeys } from '../verify/jwt/issuer-keys.ts'
export type { IssuerState, KeyFinder } from '../verify/jwt/key-finder.ts'
export { type PolicyReading, parsePolicy } from '../verify/policy/parse-policy.ts'
export type { Policy, PolicyRule } from '../verify/policy/policy.ts'
export type { PolicyFinding } from '../verify/policy/policy-finding.ts'
export {
  type PolicyEvent,
  type PolicyFollower,
  type PolicyState,
  startFollowingPolicy,
} from '../verify/policy/policy-follower.ts'
export type { ReplayStore } from '../verify/replay/memory-replay-store.ts'
export { createMemoryReplayStore } from '../verify/replay/memory-replay-store.ts'
export { type Answer, toAnswer } from '../verify/server/gateway-answer.ts'
export { verifyRequest } from '../verify/server/request-token.ts'
export type { Acceptance, Identity, Verdict } from '../verify/verdict.ts'
export { TokenRefusal } from '../verify/verdict.ts'
export { createVerifier, type VerifierSettings } from '../verify/verifier/create-verifier.ts'
export type { Observation, Verifier, VerifierState } from '../verify/verifier/verifier.ts'
export { defaultLimits, type VerifierLimits } from '../verify/verifier/verifier.ts'
