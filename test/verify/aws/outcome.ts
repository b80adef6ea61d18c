import { examineProof, parseProof } from '../../../src/verify/aws/parse-proof.ts'
import type { AwsTrust } from '../../../src/verify/policy/policy.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'

export const audience = 'gateway.example'
export const noon = Date.UTC(2026, 0, 15, 12)
export const credentials = { accessKeyId: 'AKIASTANDIN000000001', secretAccessKey: 'canary-secret' }

export const trust: AwsTrust = {
  audience: { header: 'x-k8s-aws-id', value: audience },
  prefix: 'k8s-aws-v1.',
  partitions: ['aws'],
  longestAgeSec: 900,
}

/** Says why a proof is refused, by check and reason, and whether the list of all checks says the same; or that it passes. */
export function findOutcome(token: string, changes: Partial<AwsTrust> = {}, now = noon): string {
  const terms = { trust: { ...trust, ...changes }, now, clockSkewSec: 30 }
  const failed = examineProof(token, terms).find(({ outcome }) => outcome === 'fail')
  const listed = failed ? `${failed.reason} ${failed.name}: ${failed.note}` : 'passes'
  const parsed = parse(token, terms)
  return parsed === listed ? parsed : `${parsed}, but the list says ${listed}`
}

function parse(...given: Parameters<typeof parseProof>): string {
  try {
    parseProof(...given)
    return 'passes'
  } catch (problem) {
    if (problem instanceof TokenRefusal) return `${problem.reason} ${problem.note}`
    throw problem
  }
}
