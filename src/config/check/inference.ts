import { carriesCredential } from '../credential-header.ts'
import { fields } from '../fields.ts'
import { finding, joinPath } from '../finding.ts'
import { isPlaceholder } from '../values/placeholder.ts'
import { isLoopback } from '../values/validate-url.ts'
import { credentialOf, missing, type Rule } from './rule.ts'

/** What the gateway's settings and a static key need. */
export const inferenceRules: readonly Rule[] = [
  function providerIsSet({ reading, inference, spell }) {
    if (
      inference.provider ||
      reading.kept.some(({ keys }) => keys[0] === spell('inference.provider') || keys[0] === 'inference')
    )
      return []
    const path = spell('inference.provider')
    if (reading.findings.some((other) => other.path === path)) return []
    if (Object.keys(inference).length === 0) {
      return [finding('not-activated', path, 'third-party mode is off', `to turn it on, set this to "gateway"`)]
    }
    return [
      finding(
        'provider-missing',
        path,
        'it is not set, so that no gateway setting has an effect',
        'set it to "gateway"',
      ),
    ]
  },

  function baseUrlIsSet(subject) {
    const { inference } = subject
    if (inference.provider !== 'gateway' || inference.baseUrl !== undefined) return []
    return missing(subject, 'inference.baseUrl', 'the gateway has no address', 'set it to the full URL of the gateway')
  },

  function baseUrlIsEncrypted({ inference, spell }) {
    const url = inference.baseUrl ? new URL(inference.baseUrl) : undefined
    if (url?.protocol !== 'http:' || isLoopback(url)) return []
    return [
      finding('insecure-base-url', spell('inference.baseUrl'), 'the credential travels unencrypted', 'use https://'),
    ]
  },

  function credentialIsThere({ reading, inference, spell }) {
    const path = spell('inference.credential.kind')
    if (
      inference.provider !== 'gateway' ||
      inference.credential ||
      reading.findings.some((other) => other.path === path)
    )
      return []
    return [
      finding(
        'credential-missing',
        path,
        'nothing says where the credential comes from',
        `set it to ${kinds}, with the fields of that kind`,
      ),
    ]
  },

  function headersCarryNoCredential({ inference, spell }) {
    const suspicious = Object.entries(inference.customHeaders ?? {}).filter(([name, value]) =>
      carriesCredential(name, value),
    )
    return suspicious.map(([name]) =>
      finding(
        'credential-in-headers',
        joinPath(spell('inference.customHeaders'), name),
        'this header carries a credential',
        'move it to the credential source; these headers are for routing',
      ),
    )
  },

  function keyIsReal(subject) {
    const credential = credentialOf(subject, 'static')
    const path = subject.spell('inference.credential.apiKey')
    if (!credential) return []
    if (!credential.apiKey)
      return missing(subject, 'inference.credential.apiKey', 'there is no key', 'set it to the API key of the gateway')
    if (!isPlaceholder(credential.apiKey)) return []
    return [finding('placeholder-key', path, 'it is a placeholder, not a key', 'set it to the API key of the gateway')]
  },

  function noPlaceholderIsLeft({ reading }) {
    const left = reading.unused.filter(({ field, value }) => field.secret && isPlaceholder(String(value)))
    return left.map(({ path }) =>
      finding(
        'placeholder-key-unused',
        path,
        'a placeholder key was left in; clients that guess would send it',
        'remove it',
      ),
    )
  },
]

const kindRule = fields.find(({ path }) => path === 'inference.credential.kind')!.rule
const kinds = kindRule.type === 'text' ? kindRule.choices!.map((kind) => `"${kind}"`).join(', ') : ''
