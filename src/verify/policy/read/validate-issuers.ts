import { findIssuerProblem } from '../../../contract/identity-providers/find-issuer-problem.ts'
import { isRecord, type RawObject } from '../../../runtime/json/json-value.ts'
import { createPolicyFinding, type PolicyFinding } from '../finding.ts'
import { findUrlProblem } from '../form/text-problems.ts'
import { listObjects, toText } from './loose.ts'
import { validateKeySet } from './validate-key-set.ts'

/** Issuers of which the form is right and the meaning is not. */
export function validateIssuers(file: RawObject): PolicyFinding[] {
  const issuers = listObjects(file.issuers)
  const names = issuers.map(([, { issuer }]) => toText(issuer))
  const used = new Set(listObjects(file.rules).map(([, { issuer }]) => issuer))
  return issuers.flatMap(([index, entry], order) => {
    const path = `issuers[${index}]`
    const name = names[order]
    return [
      ...(name === undefined ? [] : validateName(name, path, entry)),
      ...(name === undefined ? [] : compareNames(name, names.slice(0, order), path)),
      ...(name === undefined || used.has(name) ? [] : [reportUnused(path)]),
      ...validateKeys(entry.keys, `${path}.keys`),
      ...validateLife(entry, path),
    ]
  })
}

/** Where keys are discovered, the issuer is the address at which that begins. */
function validateName(name: string, path: string, { keys }: RawObject): PolicyFinding[] {
  const at = `${path}.issuer`
  const problem = keys === undefined || URL.canParse(name) ? findUrlProblem(name) : undefined
  if (problem) {
    const hint =
      keys === undefined && problem.code === 'invalid-value' ? 'write the address, or add keys' : problem.hint
    const message =
      problem.code === 'invalid-value' ? 'it is no web address, at which its keys could be discovered' : problem.message
    return [createPolicyFinding(problem.code, at, message, hint)]
  }
  const ofProvider = findIssuerProblem({ issuer: name }, (setting) => setting)
  if (ofProvider?.code === 'issuer-of-any-tenant' || ofProvider?.code === 'issuer-inexact')
    return [
      createPolicyFinding(ofProvider.code, at, 'no token has this issuer: each names exactly one', ofProvider.hint),
    ]
  return []
}

function compareNames(name: string, earlier: readonly (string | undefined)[], path: string): PolicyFinding[] {
  const at = `${path}.issuer`
  if (earlier.includes(name))
    return [
      createPolicyFinding(
        'duplicate-issuer',
        at,
        'this issuer is there twice',
        'join the two: an issuer has one list of audiences',
      ),
    ]
  const bare = (text: string | undefined) => text?.replace(/\/$/, '')
  if (!earlier.some((other) => bare(other) === bare(name))) return []
  const message = 'it differs from another issuer in the slash at the end alone'
  return [createPolicyFinding('issuer-similar', at, message, 'keep the one that the claim iss of its tokens has')]
}

function reportUnused(path: string): PolicyFinding {
  const message = 'no rule is for this issuer, so its tokens are refused'
  return createPolicyFinding('issuer-unused', path, message, 'add a rule for it, or remove it')
}

function validateLife({ longestLifeSec, longestAgeSec }: RawObject, path: string): PolicyFinding[] {
  if (longestLifeSec !== undefined || longestAgeSec !== undefined) return []
  const message = 'a token of this issuer passes for as long as it says itself'
  return [createPolicyFinding('life-unbounded', path, message, 'set longestLifeSec to what the issuer gives')]
}

function validateKeys(keys: unknown, path: string): PolicyFinding[] {
  if (!isRecord(keys)) return []
  const given = ['url', 'file', 'inline'].filter((key) => keys[key] !== undefined)
  if (given.length === 0)
    return [
      createPolicyFinding(
        'keys-missing',
        path,
        'it names no keys',
        'add url, file or inline, or remove it: keys are discovered then',
      ),
    ]
  const several = createPolicyFinding(
    'keys-ambiguous',
    path,
    `it names keys ${given.length} times`,
    `keep one of ${given.join(', ')}`,
  )
  return [...(given.length > 1 ? [several] : []), ...validateKeySet(keys.inline, `${path}.inline`)]
}
