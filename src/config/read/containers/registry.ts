import { decodeText, findUtf16Encoding } from '../../../runtime/json/decode-text.ts'
import { joinPath, locateFindings, type Positions } from '../../../runtime/json/position.ts'
import { flatKeys } from '../../fields.ts'
import type { Finding } from '../../finding.ts'
import { createFinding } from '../../finding.ts'
import type { Raw } from '../../raw.ts'
import { machinePolicyKey, userPolicyKey } from '../../registry-key.ts'
import { isRegistryText } from './registry-lines.ts'
import { parseSections, type Section } from './registry-text.ts'

/** Reads the policy values in an exported registry file: those of the machine hive, else those of the user hive. */
export function parseRegistry(bytes: Uint8Array): Raw {
  const text = decodeText(bytes, findUtf16Encoding(bytes) ?? 'utf-8')
  if (text === undefined || !isRegistryText(text)) {
    const problem = createFinding(
      'broken-registry-file',
      '',
      'it is not a complete registry file in UTF-16 or UTF-8',
      'export it again with `reg export`',
    )
    return { entries: undefined, findings: [problem] }
  }
  const { sections, findings } = parseSections(text)
  const own = sections.filter(isPolicyKey)
  const policies = own.length > 0 ? own : sections.filter(hasKnownValues)
  const misplaced = sections.flatMap(validateSection)
  if (policies.length === 0) {
    const problem = createFinding(
      'policy-key-missing',
      '',
      `it does not set ${machinePolicyKey}, which the client reads`,
      'put the values under that key',
    )
    return { entries: undefined, findings: [problem, ...misplaced, ...findings] }
  }
  return { ...chooseHive(policies, [...findings, ...misplaced]), positions: joinPositions(sections) }
}

/** Of a value that stands under several keys, the position that counts is that of the machine's policy key. */
function joinPositions(sections: readonly Section[]): Positions {
  const rank = (section: Section) => (isPolicyKey(section) ? (isUser(section) ? 1 : 2) : 0)
  return new Map(sections.toSorted((a, b) => rank(a) - rank(b)).flatMap(({ positions }) => [...positions]))
}

function isUser({ key }: Section): boolean {
  return /^HKEY_(CURRENT_USER|USERS)\\/i.test(key)
}

/** Clients ignore the user hive as soon as the machine hive has any value. */
function chooseHive(policies: readonly Section[], findings: readonly Finding[]): Raw {
  const machine = new Map(policies.filter((section) => !isUser(section)).flatMap(({ values }) => [...values]))
  const user = new Map(policies.filter(isUser).flatMap(({ values }) => [...values]))
  if (machine.size === 0) return { entries: Object.fromEntries(user), findings }
  const ignored = [...user.keys()].map((name) =>
    createFinding(
      'user-hive-ignored',
      joinPath('', name),
      'the machine hive has values, so this one in the user hive is ignored',
      'set it in the machine hive, or remove it',
    ),
  )
  const located = locateFindings(ignored, joinPositions(policies.filter(isUser)))
  return { entries: Object.fromEntries(machine), findings: [...findings, ...located] }
}

function validateSection(section: Section): Finding[] {
  if (section.values.size === 0 || isPolicyKey(section)) return []
  if ([machinePolicyKey, userPolicyKey].some((key) => section.key.toLowerCase().startsWith(`${key.toLowerCase()}\\`))) {
    return [
      createFinding(
        'registry-subkey',
        section.key,
        'clients never read sub-keys',
        `move its values to ${machinePolicyKey}`,
      ),
    ]
  }
  if (!hasKnownValues(section)) return []
  return [
    createFinding(
      'other-policy-key',
      section.key,
      `clients read ${machinePolicyKey} and ${userPolicyKey} only`,
      `move its values to ${machinePolicyKey}`,
    ),
  ]
}

function isPolicyKey({ key }: Section): boolean {
  return [machinePolicyKey, userPolicyKey].some((expected) => expected.toLowerCase() === key.toLowerCase())
}

function hasKnownValues({ values }: Section): boolean {
  return flatKeys.some((key) => values.has(key))
}
