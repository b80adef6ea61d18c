import type { Element } from '@xmldom/xmldom'
import { machinePolicyKey, registryHeader } from '../../../../src/config/policy-names.ts'
import { findAll, listChildren, parseXml } from './parse-xml.ts'

/** The settings of an administrator, by the policy's name: the content of its element, or `disabled`. */
export type PolicyStates = Readonly<Record<string, { readonly [id: string]: string } | 'disabled'>>

/** The values of the machine's policy key: text for REG_SZ, a number for REG_DWORD. */
export type RegistryValues = Readonly<Record<string, string | number>>

/**
 * Applies policies as Windows does, as far as our templates need it: an enabled policy sets the value of its element, a
 * disabled one takes it away, and one that nobody configured leaves it alone.
 */
export function applyTemplate(admx: string, states: PolicyStates, before: RegistryValues): RegistryValues {
  const values: Record<string, string | number> = { ...before }
  const policies = new Map(findAll(parseXml(admx), 'policy').map((policy) => [policy.getAttribute('name'), policy]))
  for (const [name, state] of Object.entries(states)) {
    const policy = policies.get(name)
    if (!policy) throw new Error(`the template has no policy ${name}`)
    for (const element of findAll(policy, 'elements').flatMap(listChildren)) {
      const valueName = element.getAttribute('valueName')!
      if (state === 'disabled') delete values[valueName]
      else values[valueName] = toStored(element, state[element.getAttribute('id')!])
    }
  }
  return values
}

function toStored(element: Element, value: string | undefined): string | number {
  const name = element.getAttribute('id')
  if (value === undefined) throw new Error(`${name}: nothing is filled in`)
  const limit = (attribute: string) => Number(element.getAttribute(attribute))
  switch (element.tagName) {
    case 'text':
      if (value.length > limit('maxLength')) throw new Error(`${name}: too long`)
      return value
    case 'decimal':
      if (Number(value) < limit('minValue') || Number(value) > limit('maxValue'))
        throw new Error(`${name}: out of range`)
      return element.getAttribute('storeAsText') === 'true' ? value : Number(value)
    case 'enum':
      if (findAll(element, 'string').some((choice) => choice.textContent === value)) return value
      throw new Error(`${name}: no such choice`)
    default:
      throw new Error(`${name}: a ${element.tagName} is not known`)
  }
}

/** Renders the key as `reg export` writes it. */
export function renderRegistryExport(values: RegistryValues): Uint8Array {
  const quote = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  const lines = Object.entries(values).map(
    ([name, value]) =>
      `${quote(name)}=${typeof value === 'string' ? quote(value) : `dword:${value.toString(16).padStart(8, '0')}`}`,
  )
  return Buffer.from(`\ufeff${[registryHeader, '', `[${machinePolicyKey}]`, ...lines, ''].join('\r\n')}`, 'utf16le')
}
