import { type RawObject, toObject } from '../../runtime/values/json-value.ts'
import { joinPath } from '../../runtime/values/position.ts'
import { parseObjectFile } from './parse-object-file.ts'
import type { JsonWebKeySet } from './policy.ts'
import { createPolicyFinding, type PolicyFinding, type PolicyProblem, toPolicyFinding } from './policy-finding.ts'
import { policyLimits } from './policy-limits.ts'
import { listObjects, toText } from './unchecked-form.ts'
import { validateFileName } from './validate-text.ts'

/** The bytes of a file beside the policy, or why it cannot be read. */
export type KeyFile = Uint8Array | PolicyProblem

export function listNamedFiles(file: RawObject): NamedFile[] {
  return listObjects(file.issuers).flatMap(([index, { keys }]) => {
    const name = toText(toObject(keys).file)
    if (name === undefined || validateFileName(name)) return []
    return [{ name, path: `issuers[${index}].keys.file` }]
  })
}

interface NamedFile {
  readonly name: string
  /** The path in the policy at which the file is named. */
  readonly path: string
}

/** Parses the key sets in these files. A finding has the path at which the policy names the file. */
export function parseKeyFiles(
  named: readonly NamedFile[],
  contents: ReadonlyMap<string, KeyFile>,
): { keySets: ReadonlyMap<string, JsonWebKeySet>; findings: PolicyFinding[] } {
  const keySets = new Map<string, JsonWebKeySet>()
  const findings = named.flatMap(({ name, path }) => {
    const parsed = parseKeyFile(contents.get(name), path)
    if (parsed.keySet) keySets.set(name, parsed.keySet)
    return parsed.findings
  })
  return { keySets, findings }
}

const unread: KeyFile = { code: 'file-unreadable', message: 'the file was not read', hint: 'put it beside the policy' }

function parseKeyFile(
  content: KeyFile = unread,
  path: string,
): { keySet?: JsonWebKeySet; findings: readonly PolicyFinding[] } {
  const reject = (problem: PolicyProblem) => ({ findings: [toPolicyFinding(problem, path)] })
  if (!(content instanceof Uint8Array)) return reject(content)
  const { value, findings } = parseObjectFile(content, { noun: 'key set', levels: 4 })
  const [first] = findings.filter(({ severity }) => severity === 'error')
  if (first) return reject({ ...first, message: `in that file: ${first.path && `${first.path}: `}${first.message}` })
  const count = listObjects(value?.keys).length
  if (count === 0 || count > policyLimits.keys)
    return reject({
      code: 'keys-unusable',
      message: count === 0 ? 'the file holds no keys' : `the file holds more than ${policyLimits.keys} keys`,
      hint: 'put the key set of the issuer into it (RFC 7517): {"keys": […]}',
    })
  const inside = validateKeySet(value, '').map((finding) => ({
    ...finding,
    path,
    message: `in that file, ${finding.path}: ${finding.message}`,
  }))
  return { keySet: toJsonWebKeySet(value), findings: inside }
}

/** Finds private and symmetric keys, with which every reader of the policy could sign tokens (RFC 7518, section 6). */
export function validateKeySet(keySet: unknown, path: string): PolicyFinding[] {
  return listObjects(toObject(keySet).keys).flatMap(([index, key]) => {
    const at = joinPath(joinPath(path, 'keys'), index)
    if (key.kty === 'oct' || key.d !== undefined || key.k !== undefined)
      return [
        createPolicyFinding(
          'private-key',
          at,
          'it is a key that can sign',
          'remove it, have the issuer replace it, and write the public key',
        ),
      ]
    if (key.kty === 'RSA' || key.kty === 'EC' || key.kty === 'OKP') return []
    return [
      createPolicyFinding(
        'keys-unusable',
        at,
        'its kty is not RSA, EC or OKP',
        'write a public key as JSON (RFC 7517)',
      ),
    ]
  })
}

/** Returns the keys as a set, of which only the types were checked: importing a key shows whether it is usable. */
export function toJsonWebKeySet(value: unknown): JsonWebKeySet {
  return value as JsonWebKeySet
}
