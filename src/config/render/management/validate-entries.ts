import { joinPath } from '../../../runtime/values/position.ts'
import { vendor } from '../../../vendor.ts'
import { createFinding, type Finding } from '../../finding.ts'
import { isWithinPolicy, listPolicies } from './policies.ts'

/** Returns whether device management accepts a template that writes to this key, which is given without its hive. */
export function isIngestibleKey(key: string): boolean {
  const isAtOrBelow = (folder: string) => `${key.toLowerCase()}\\`.startsWith(`${folder}\\`)
  return !closed.some(isAtOrBelow) || open.some(isAtOrBelow)
}

/** Keys to which no ingested template may write (Microsoft Learn, "Win32 and Desktop Bridge app ADMX policy Ingestion"). */
const closed = ['system', 'software\\microsoft', 'software\\policies\\microsoft']

/** The exceptions of the same page. */
const open = [
  'software\\policies\\microsoft\\office',
  'software\\microsoft\\office',
  'software\\microsoft\\windows\\currentversion\\explorer',
  'software\\microsoft\\internet explorer',
  'software\\policies\\microsoft\\shared tools\\proofing tools',
  'software\\policies\\microsoft\\imejp',
  'software\\policies\\microsoft\\ime\\shared',
  'software\\policies\\microsoft\\shared tools\\graphics filters',
  'software\\policies\\microsoft\\windows\\currentversion\\explorer',
  'software\\policies\\microsoft\\softwareprotectionplatform',
  'software\\policies\\microsoft\\officesoftwareprotectionplatform',
  'software\\policies\\microsoft\\windows\\windows search\\preferences',
  'software\\policies\\microsoft\\exchange',
  'software\\microsoft\\shared tools\\proofing tools',
  'software\\microsoft\\shared tools\\graphics filters',
  'software\\microsoft\\windows\\windows search\\preferences',
  'software\\microsoft\\exchange',
  'software\\policies\\microsoft\\vba\\security',
  'software\\microsoft\\onedrive',
  'software\\microsoft\\edge',
  'software\\microsoft\\edgeupdate',
]

/** Validates that the template has a policy for each value, with room for it. */
export function validateEntries(entries: Readonly<Record<string, string>>): Finding[] {
  const policies = listPolicies()
  return Object.entries(entries).flatMap(([key, value]) => {
    const policy = policies.find(({ valueName }) => valueName === key)
    if (!policy) return [reportNoPolicy(key)]
    return isWithinPolicy(policy, value) ? [] : [reportNoRoom(key)]
  })
}

/** Validates that device management accepts the template at all. */
export function validatePolicyKey(): Finding[] {
  if (isIngestibleKey(vendor.windowsPolicyKey)) return []
  const message = `device management takes no template that writes to ${vendor.windowsPolicyKey}`
  return [createFinding('not-exportable', '', message, 'export it with --to remediation, reg or intune')]
}

function reportNoPolicy(key: string): Finding {
  const message = 'the administrative template has no policy for it, and it was left out'
  return createFinding(
    'kept-aside',
    joinPath('', key),
    message,
    'set it with a file of --to reg as well, if it is needed',
  )
}

function reportNoRoom(key: string): Finding {
  const message = 'a group policy has no room for this value'
  return createFinding('not-exportable', joinPath('', key), message, 'use a smaller value, or export it with --to reg')
}
