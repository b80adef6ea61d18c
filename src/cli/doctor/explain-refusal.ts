import type { Part } from '../../client/examination.ts'
import type { Diagnosis } from '../../helper/diagnosis.ts'
import { addPolicy, listActions } from './policy.ts'

/** The part about a failed run, with the permission that AWS says is missing. */
export function explainRun(part: Part, stderr: string, diagnosis: Diagnosis | undefined): Part {
  if (part.outcome !== 'bad' || !/AccessDenied|NotAuthorized|Forbidden/.test(stderr)) return part
  const permissions = diagnosis?.permissions ?? []
  const missing = listActions(stderr).filter((name) => permissions.some(({ action }) => action === name))
  const advised = addPolicy(part, missing, permissions)
  // Some helpers print the statement themselves.
  return stderr.includes('"Effect":"Allow"') ? { ...advised, lines: part.lines } : advised
}

/** The parts about the token and the gateway, with the permission that is missing, or the algorithm that may not be taken. */
export function explainGateway(parts: readonly Part[], diagnosis: Diagnosis | undefined): Part[] {
  const algorithm = parts.find(({ part }) => part === 'token')?.algorithm
  return parts.map((part) => {
    const { status } = part.answer ?? {}
    if (part.outcome !== 'bad' || (status !== 401 && status !== 403)) return part
    const missing = listMissing(part)
    return missing.length > 0
      ? addPolicy(part, missing, diagnosis?.permissions)
      : explainAlgorithm(part, algorithm, diagnosis)
  })
}

/** The action that AWS names, else those that our own hint names; none where a policy denies it, which no other can change. */
function listMissing({ answer, hint = '' }: Part): string[] {
  if (hint.includes('explicit deny')) return []
  return answer?.denied === undefined ? listActions(hint) : [answer.denied]
}

/** Some gateways take RS256 only and others ES384, which few of them say. */
function explainAlgorithm(part: Part, algorithm: string | undefined, diagnosis: Diagnosis | undefined): Part {
  const { option, values = [] } = diagnosis?.algorithm ?? {}
  const { message = '', reason } = part.answer ?? {}
  if (reason !== undefined && reason !== 'algorithm') return part // its verifier has looked at more than that
  const other = values.find((value) => value !== algorithm)
  if (algorithm === undefined || other === undefined || !values.includes(algorithm)) return part
  const line = `the token is signed with ${algorithm}; a gateway that takes ${other} only refuses it`
  const change = `set the helper's option ${option} to ${other}`
  // Where the gateway speaks of algorithms, that is the cause; otherwise it is one more thing to try.
  const isNamed = reason === 'algorithm' || message.includes(other) || /\balg(orithm)?\b/i.test(message)
  const hint = isNamed ? change : `${part.hint}; or, if it takes ${other} only, ${change}`
  return { ...part, lines: [...part.lines, line], hint }
}
