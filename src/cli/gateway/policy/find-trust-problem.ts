import type { RefusalReason } from '../../../contract/refusal-reasons.ts'
import type { Policy } from '../../../verify/policy/policy.ts'
import type { Identity } from '../../../verify/verdict.ts'

/** Why a token would be refused before any rule is looked at, as far as its claims alone say it; `undefined` otherwise. */
export function findTrustProblem(
  { kind, issuer, claims }: Identity,
  { jwt, aws }: Policy,
): { readonly reason: RefusalReason; readonly detail: string } | undefined {
  if (kind === 'aws-identity') return findAwsProblem(claims, aws)
  const trust = jwt.find((each) => each.issuer === issuer)
  if (!trust) return { reason: 'issuer', detail: 'the policy has no such issuer' }
  const audiences = [claims.aud].flat()
  if (claims.aud === undefined || trust.audiences.some((audience) => audiences.includes(audience))) return undefined
  return { reason: 'audience', detail: `its audience is none of ${trust.audiences.join(', ')}` }
}

function findAwsProblem({ partition }: Identity['claims'], aws: Policy['aws']): ReturnType<typeof findTrustProblem> {
  if (!aws) return { reason: 'unknown-kind', detail: 'the policy accepts no proof of an AWS identity' }
  if (aws.partitions.some((id) => id === partition)) return undefined
  return { reason: 'host', detail: `its partition is none of ${aws.partitions.join(', ')}` }
}
