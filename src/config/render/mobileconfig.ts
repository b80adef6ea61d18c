import { build } from 'plist'
import { vendor } from '../../vendor.ts'
import { toUuid } from './to-uuid.ts'

interface ProfileOptions {
  /** Reverse domain name. A profile replaces an installed profile with the same identifier. */
  readonly identifier?: string
  readonly organization?: string
}

/**
 * A macOS configuration profile. Its UUIDs are derived from its content, so the same settings give the same bytes, and
 * changed settings give a profile that replaces the old one.
 */
export function renderMobileconfig(entries: Readonly<Record<string, string>>, options: ProfileOptions = {}): string {
  const identifier = options.identifier ?? `${vendor.macosPayloadType}.gatepass`
  const content = JSON.stringify([identifier, Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1))])
  const payload = {
    ...entries,
    ...describePayload(vendor.macosPayloadType, `${identifier}.settings`, `settings ${content}`),
  }
  const profile = {
    ...describePayload('Configuration', identifier, `profile ${content}`),
    ...(options.organization && { PayloadOrganization: options.organization }),
    PayloadScope: 'System',
    PayloadContent: [payload],
  }
  return `${build(profile)}\n`
}

function describePayload(type: string, identifier: string, content: string): Record<string, string | number> {
  return {
    PayloadType: type,
    PayloadVersion: 1,
    PayloadIdentifier: identifier,
    PayloadUUID: toUuid(content).toUpperCase(),
    PayloadDisplayName: `${vendor.name} desktop settings`,
  }
}
