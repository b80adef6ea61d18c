import { isPlaceholder } from '../../contract/api-keys/placeholder.ts'
import { isCredentialHeader } from '../../runtime/hiding/credential-text.ts'
import { joinPath } from '../../runtime/json/position.ts'
import { credentialKinds } from '../document.ts'
import { createFinding } from '../finding.ts'
import type { ReadResult } from '../read/document.ts'
import { findSimilar } from '../read/unknown-key.ts'
import { findCredential, type Rule, reportMissing } from './rule.ts'

/** Rules about the provider, the headers and the credential. */
export const inferenceRules: readonly Rule[] = [
  function validateProvider({ result, inference, spell }) {
    const path = spell('inference.provider')
    if (inference.provider || result.findings.some((other) => other.path === path)) return []
    if (!hasInferenceSettings(result)) {
      return [createFinding('not-activated', path, 'third-party mode is off', `to turn it on, set this to "gateway"`)]
    }
    return [
      createFinding(
        'provider-missing',
        path,
        'it is not set, so no gateway setting has an effect',
        'set it to "gateway"',
      ),
    ]
  },

  function validateCredential({ result, inference, spell }) {
    const path = spell('inference.credential.kind')
    if (
      inference.provider !== 'gateway' ||
      inference.credential ||
      result.findings.some((other) => other.path === path)
    )
      return []
    return [
      createFinding(
        'credential-missing',
        path,
        'nothing says where the credential comes from',
        `set it to one of ${kinds}, with the fields of that kind`,
      ),
    ]
  },

  function validateCustomHeaders({ inference, spell }) {
    const suspicious = Object.entries(inference.customHeaders ?? {}).filter(([name, value]) =>
      isCredentialHeader(name, value),
    )
    return suspicious.map(([name]) =>
      createFinding(
        'credential-in-headers',
        joinPath(spell('inference.customHeaders'), name),
        'this header carries a credential',
        'move it to the credential source; these headers are for routing',
      ),
    )
  },

  function validateApiKey(subject) {
    const credential = findCredential(subject, 'static')
    const path = subject.spell('inference.credential.apiKey')
    if (!credential) return []
    if (!credential.apiKey)
      return reportMissing(
        subject,
        'inference.credential.apiKey',
        'there is no key',
        'set it to the API key of the gateway',
      )
    if (!isPlaceholder(credential.apiKey)) return []
    return [
      createFinding('placeholder-key', path, 'it is a placeholder, not a key', 'set it to the API key of the gateway'),
    ]
  },

  function validateUnusedKeys({ result }) {
    const left = result.unused.filter(({ field, value }) => field.secret && isPlaceholder(String(value)))
    return left.map(({ path }) =>
      createFinding(
        'placeholder-key-unused',
        path,
        'a placeholder key was left in; clients that guess would send it',
        'remove it',
      ),
    )
  },
]

/** Whether anything was written about inference, known or not. */
function hasInferenceSettings({ values, unused, findings }: ReadResult): boolean {
  return [...values, ...unused, ...findings].some(
    ({ path }) => path.startsWith('inference') || findSimilar(path, ['inference']) !== undefined,
  )
}

const kinds = credentialKinds.map((kind) => `"${kind}"`).join(', ')
