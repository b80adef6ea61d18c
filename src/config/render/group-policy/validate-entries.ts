import { joinPath } from '../../../runtime/json/position.ts'
import { vendor } from '../../../vendor.ts'
import { createFinding, type Finding } from '../../finding.ts'
import { isIngestibleKey } from './ingestion.ts'
import { isWithinPolicy, templatePolicies } from './policies.ts'

/** What the template has no policy for, or no room. */
export function validateEntries(entries: Readonly<Record<string, string>>): Finding[] {
  return Object.entries(entries).flatMap(([key, value]) => {
    const policy = templatePolicies.find(({ valueName }) => valueName === key)
    if (!policy) return [reportNoPolicy(key)]
    return isWithinPolicy(policy, value) ? [] : [reportNoRoom(key)]
  })
}

/** Whether device management takes the template at all. */
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
