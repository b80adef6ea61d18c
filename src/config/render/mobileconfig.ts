import { createHash } from 'node:crypto'
import { build } from 'plist'
import { vendor } from '../../vendor.ts'

export interface ProfileOptions {
  /** Reverse domain name; a profile replaces an installed one of the same identifier. */
  readonly identifier?: string
  readonly organization?: string
}

/**
 * A macOS configuration profile. Its UUIDs are derived from its content: the same settings give the same bytes, and
 * changed ones a new profile in the old one's place.
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
    PayloadUUID: uuidOf(content),
    PayloadDisplayName: `${vendor.name} desktop settings`,
  }
}

/** RFC 9562, version 8: a UUID of our own making, here the first half of a SHA-256 digest. */
function uuidOf(content: string): string {
  const digest = createHash('sha256').update(content).digest('hex')
  const variant = ((Number.parseInt(digest[16]!, 16) & 3) | 8).toString(16)
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ]
    .join('-')
    .toUpperCase()
}
