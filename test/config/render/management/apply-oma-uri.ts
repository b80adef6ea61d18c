import { applyTemplate, type PolicyStates, type RegistryValues } from './apply-template.ts'
import { findAll, parseXml } from './parse-xml.ts'

/** Applies the settings as device management does: the template first, then each policy of it. */
export function applyOmaUri(profile: string, before: RegistryValues): RegistryValues {
  const [template, ...settings]: { omaUri: string; value: string }[] = JSON.parse(profile).omaSettings
  const states: PolicyStates = Object.fromEntries(
    settings.map(({ omaUri, value }) => [omaUri.slice(omaUri.lastIndexOf('/') + 1), parseState(value)]),
  )
  return applyTemplate(template!.value, states, before)
}

function parseState(data: string): PolicyStates[string] {
  const root = parseXml(`<data-of-policy>${data}</data-of-policy>`)
  if (findAll(root, 'disabled').length > 0) return 'disabled'
  return Object.fromEntries(
    findAll(root, 'data').map((node) => [node.getAttribute('id')!, node.getAttribute('value')!]),
  )
}
