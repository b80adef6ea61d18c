// Folder: documents in every form, the JSON Schema and the page of fields.

import { build } from 'plist'
import { joinPath } from '../../runtime/values/position.ts'
import { vendor } from '../../vendor.ts'
import { createFinding, type Finding } from '../finding.ts'
import { findForeignProvider } from '../read/match-nested.ts'
import type { UnknownKeys } from '../read/parse-fields.ts'
import type { ReadResult, Shape } from '../read/read-document.ts'
import { renderers, toManagedEntries } from './shapes.ts'
import { toUuid } from './to-uuid.ts'

/** Renders a document in another shape; `undefined` when it could not be read. */
export function convertDocument(result: ReadResult, to: Shape, clientVersion?: string): Converted | undefined {
  if (!result.document) return undefined
  const { unknownKeys, findings } = convertUnknownKeys(result, to)
  const content = renderers[to](result.document, { unknownKeys, clientVersion })
  return { content, findings }
}

/** A document in another shape, with findings for what it leaves out. */
interface Converted {
  readonly content: string
  readonly findings: readonly Finding[]
}

/** Converts unknown keys, which can be written back only in the form that they came from: nested, or one of the two flat forms. */
function convertUnknownKeys(
  result: ReadResult,
  to: Shape,
): { unknownKeys: readonly UnknownKeys[]; findings: Finding[] } {
  const isSameForm = (result.shape === 'nested') === (to === 'nested')
  const aside = isSameForm ? [] : result.unknownKeys
  const findings = aside.map(({ keys }) =>
    createFinding(
      'kept-aside',
      keys.reduce(joinPath, ''),
      'the other form has no known key for it, and it was left out',
      'add it by hand if it is needed',
    ),
  )
  const lost = [...reportForeign(result), ...findings, ...reportLostExpiry(result, to)]
  return { unknownKeys: isSameForm ? result.unknownKeys : [], findings: lost }
}

function reportForeign(result: ReadResult): Finding[] {
  const provider = findForeignProvider(result)
  if (!provider) return []
  const message = 'it names another provider than "gateway", and what it needs is not known here'
  return [createFinding('not-exportable', provider.path, message, "use that provider's own tools")]
}

function reportLostExpiry({ document }: ReadResult, to: Shape): Finding[] {
  if (to !== 'managed' || document?.expiresAt === undefined) return []
  return [createFinding('no-managed-key', 'expiresAt', 'managed preferences have no such key, and it was left out', '')]
}

/** The managed preferences of an export, with findings for what they leave out. */
interface ManagedPreferences {
  readonly entries: Readonly<Record<string, string>>
  readonly findings: readonly Finding[]
}

/** Converts a document to managed preferences; `undefined` if it could not be read. */
export function toManagedPreferences(result: ReadResult, clientVersion?: string): ManagedPreferences | undefined {
  if (!result.document) return undefined
  const { unknownKeys, findings } = convertUnknownKeys(result, 'managed')
  const all = Object.entries(toManagedEntries(result.document, { unknownKeys, clientVersion }))
  const isWritable = ([key, value]: [string, string]) => isPlainText(key) && isPlainText(value)
  const refused = all.filter((entry) => !isWritable(entry)).map(([key]) => reportNotExportable(key))
  return { entries: Object.fromEntries(all.filter(isWritable)), findings: [...findings, ...refused] }
}

/** Returns whether every platform's tools read the text back unchanged: no control character and no unpaired surrogate. */
function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]/.test(text)
}

function reportNotExportable(key: string): Finding {
  return createFinding(
    'not-exportable',
    joinPath('', key),
    'it has a control character or an unpaired surrogate, and was left out',
    'remove that character',
  )
}

interface PayloadOptions {
  /** The identifier of the profile, in reverse domain name notation. A profile replaces an installed profile with the same identifier. */
  readonly identifier?: string | undefined
  readonly organization?: string | undefined
}

/**
 * Renders a macOS configuration profile. Its UUIDs are derived from its content, so that the same settings give the same bytes, and changed
 * settings give a profile that replaces the old one.
 */
export function renderMobileconfig(entries: Readonly<Record<string, string>>, options: PayloadOptions = {}): string {
  const identifier = options.identifier ?? `${vendor.macosPayloadType}.gatepass`
  const content = JSON.stringify([identifier, Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1))])
  const payload = {
    ...entries,
    ...createPayload(vendor.macosPayloadType, `${identifier}.settings`, `settings ${content}`),
  }
  const profile = {
    ...createPayload('Configuration', identifier, `profile ${content}`),
    ...(options.organization && { PayloadOrganization: options.organization }),
    PayloadScope: 'System',
    PayloadContent: [payload],
  }
  return `${build(profile)}\n`
}

function createPayload(type: string, identifier: string, content: string): Record<string, string | number> {
  return {
    PayloadType: type,
    PayloadVersion: 1,
    PayloadIdentifier: identifier,
    PayloadUUID: toUuid(content).toUpperCase(),
    PayloadDisplayName: `${vendor.name} desktop settings`,
  }
}
