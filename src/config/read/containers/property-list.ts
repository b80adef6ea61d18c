import { hasPrefix } from '../../../runtime/json/decode-text.ts'
import { describeType, isRecord, type RawObject } from '../../../runtime/json/json-value.ts'
import { joinPath, type Positions } from '../../../runtime/json/position.ts'
import { vendor } from '../../../vendor.ts'
import { flatKeys } from '../../fields.ts'
import type { Finding } from '../../finding.ts'
import { createFinding } from '../../finding.ts'
import type { Raw } from '../../raw.ts'
import { parseBinaryPlist } from './binary-plist.ts'
import { parseXmlPlist } from './xml-plist.ts'

/** Reads the managed preferences in a property list: a configuration profile, or the preferences alone. */
export function parsePropertyList(bytes: Uint8Array): Raw {
  if (isSigned(bytes)) return { entries: undefined, findings: [reportSignedProfile()] }
  const { value, findings, positions } = isBinaryPlist(bytes) ? parseBinaryPlist(bytes) : parseXmlPlist(bytes)
  if (value === undefined) return { entries: undefined, findings }
  if (!isRecord(value)) {
    const found = `expected a dictionary, found ${describeType(value)}`
    return {
      entries: undefined,
      findings: [...findings, createFinding('not-an-object', '', found, 'put the keys into one <dict>')],
    }
  }
  const payload = Array.isArray(value.PayloadContent)
    ? findPayload(value.PayloadContent)
    : { entries: value, findings: [], prefix: '' }
  const native = Object.entries(payload.entries ?? {}).flatMap(([key, raw]) => reportNativeValue(key, raw))
  return {
    entries: payload.entries,
    findings: [...findings, ...payload.findings, ...native],
    positions: stripPrefix(positions, payload.prefix),
  }
}

/** Most findings name the keys of the payload alone. */
function stripPrefix(positions: Positions, prefix: string): Positions {
  const inside = [...positions].filter(([path]) => path.startsWith(prefix))
  return new Map([...positions, ...inside.map(([path, at]) => [path.slice(prefix.length), at] as const)])
}

/** Whether the bytes begin as a binary property list does. */
export function isBinaryPlist(bytes: Uint8Array): boolean {
  return hasPrefix(bytes, [...Buffer.from('bplist')])
}

/** Whether the bytes are CMS (RFC 5652), as a signed profile is: an ASN.1 sequence, or its armoured form. */
export function isSigned(bytes: Uint8Array): boolean {
  return (
    hasPrefix(bytes, [0x30, 0x80]) ||
    hasPrefix(bytes, [0x30, 0x82]) ||
    hasPrefix(bytes, [0x30, 0x83]) ||
    hasPrefix(bytes, [...Buffer.from('-----BEGIN ')])
  )
}

function reportSignedProfile(): Finding {
  return createFinding(
    'signed-profile',
    '',
    'it is a signed profile',
    'remove the signature: `security cms -D -i signed.mobileconfig -o plain.mobileconfig` (macOS), or `openssl smime -verify -noverify -inform DER -in signed.mobileconfig -out plain.mobileconfig`',
  )
}

interface Payload extends Raw {
  /** What the paths of its values begin with in the whole list. */
  readonly prefix: string
}

/** The payload of the client's own type, else a payload of another type that holds the client's keys. */
function findPayload(content: readonly unknown[]): Payload {
  const payloads = content.filter(isRecord)
  const prefixOf = (payload: RawObject) => `PayloadContent[${content.indexOf(payload)}].`
  const own = payloads.find((payload) => payload.PayloadType === vendor.macosPayloadType)
  if (own) return { entries: removePayloadKeys(own), findings: [], prefix: prefixOf(own) }
  const expected = `the client reads payloads of the type ${vendor.macosPayloadType} only`
  const other = payloads.find((payload) => flatKeys.some((key) => Object.hasOwn(payload, key)))
  if (!other)
    return {
      entries: undefined,
      findings: [
        createFinding(
          'payload-missing',
          'PayloadContent',
          `${expected}, and there is none`,
          `add a payload of the type ${vendor.macosPayloadType}`,
        ),
      ],
      prefix: '',
    }
  return {
    entries: removePayloadKeys(other),
    findings: [
      createFinding(
        'other-payload-type',
        'PayloadType',
        expected,
        `set this payload's PayloadType to ${vendor.macosPayloadType}`,
      ),
    ],
    prefix: prefixOf(other),
  }
}

/** Removes the keys that describe the payload itself, such as `PayloadUUID`. */
function removePayloadKeys(payload: RawObject): RawObject {
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !/^Payload[A-Z]/.test(key)))
}

function reportNativeValue(key: string, raw: unknown): Finding[] {
  if (typeof raw === 'string') return []
  const hint =
    isRecord(raw) || Array.isArray(raw) ? 'write it as one <string> that holds JSON' : 'write it as a <string>'
  return [
    createFinding(
      'native-value',
      joinPath('', key),
      `it is ${describeType(raw)}, which older clients do not read: managed values are text`,
      hint,
    ),
  ]
}
