import { vendor } from '../../../vendor.ts'
import { flatKeys } from '../../fields.ts'
import type { Finding } from '../../finding.ts'
import { finding, joinPath } from '../../finding.ts'
import type { Raw } from '../../raw.ts'
import { decode, utf16ByteOrder } from './decode-text.ts'
import { isRegistryText, parseSections, type Section } from './registry-text.ts'

/** Reads the policy values in an exported registry file: the machine's hive, or the user's where it has none. */
export function parseRegistry(bytes: Uint8Array): Raw {
  const text = decode(bytes, utf16ByteOrder(bytes) ?? 'utf-8')
  if (text === undefined || !isRegistryText(text)) {
    const problem = finding(
      'broken-registry-file',
      '',
      'it is no complete registry file in UTF-16 or UTF-8',
      'export it again with `reg export`',
    )
    return { entries: undefined, findings: [problem] }
  }
  const { sections, findings } = parseSections(text)
  const own = sections.filter(isPolicyKey)
  const policies = own.length > 0 ? own : sections.filter(holdsOurValues)
  const judged = sections.flatMap((section) => validateSection(section))
  if (policies.length === 0) {
    const problem = finding(
      'policy-key-missing',
      '',
      `it does not set ${expectedKey}, which the client reads`,
      'put the values under that key',
    )
    return { entries: undefined, findings: [problem, ...judged, ...findings] }
  }
  return { ...chooseHive(policies, [...findings, ...judged]) }
}

const expectedKey = `HKEY_LOCAL_MACHINE\\${vendor.windowsPolicyKey}`
const userKey = `HKEY_CURRENT_USER\\${vendor.windowsPolicyKey}`

/** Any value under the machine's hive makes clients ignore the user's. */
function chooseHive(policies: readonly Section[], findings: readonly Finding[]): Raw {
  const isUser = ({ key }: Section) => /^HKEY_(CURRENT_USER|USERS)\\/i.test(key)
  const machine = new Map(policies.filter((section) => !isUser(section)).flatMap(({ values }) => [...values]))
  const user = new Map(policies.filter(isUser).flatMap(({ values }) => [...values]))
  if (machine.size === 0) return { entries: Object.fromEntries(user), findings }
  const ignored = [...user.keys()].map((name) =>
    finding(
      'user-hive-ignored',
      joinPath('', name),
      'the machine hive has values, so that this one in the user hive is ignored',
      'set it in the machine hive, or remove it',
    ),
  )
  return { entries: Object.fromEntries(machine), findings: [...findings, ...ignored] }
}

function validateSection(section: Section): Finding[] {
  if (section.values.size === 0 || isPolicyKey(section)) return []
  if ([expectedKey, userKey].some((key) => section.key.toLowerCase().startsWith(`${key.toLowerCase()}\\`))) {
    return [finding('registry-subkey', section.key, 'clients never read sub-keys', `move its values to ${expectedKey}`)]
  }
  if (!holdsOurValues(section)) return []
  return [
    finding(
      'other-policy-key',
      section.key,
      `clients read ${expectedKey} and ${userKey} only`,
      `move its values to ${expectedKey}`,
    ),
  ]
}

function isPolicyKey({ key }: Section): boolean {
  return [expectedKey, userKey].some((expected) => expected.toLowerCase() === key.toLowerCase())
}

function holdsOurValues({ values }: Section): boolean {
  return flatKeys.some((key) => values.has(key))
}
