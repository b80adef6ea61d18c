import { isCredentialHeader } from '../../../runtime/hiding/credential-text.ts'
import { vendor } from '../../../vendor.ts'
import type { ConfigDocument } from '../../document.ts'
import { findFlatKey } from '../../field.ts'
import { fields, flatKeys } from '../../fields.ts'
import { matchLine } from '../mismatches.ts'
import { type DetectionParts, type ExpectedValue, renderDetectionScript } from './detection-script.ts'
import type { Exported } from './exported.ts'
import { jsonReader, propertyListReader, type ValueReader } from './value-readers.ts'

const exitStatus = `printf '%s\\n' "$line"\n[ "$line" = '${matchLine}' ]`

/** A script for Linux that compares the managed file and the helper; its status is 0 where all is as exported, else 1. */
export function renderLinuxDetection(exported: Exported): string {
  return renderDetectionScript({
    ...toParts(exported, jsonReader),
    system: 'the managed file of Linux, and the helper',
    file: vendor.linuxManagedFile,
    isGuarded: false,
    ending: exitStatus,
  })
}

/** The same for macOS, whose managed preferences only the device management writes. */
export function renderMacosDetection(exported: Exported): string {
  return renderDetectionScript({ ...toMacosParts(exported), ending: exitStatus })
}

/** The same as an extension attribute of Jamf Pro, which keeps what stands between the tags; its status means nothing there. */
export function renderExtensionAttribute(exported: Exported): string {
  return renderDetectionScript({ ...toMacosParts(exported), ending: `printf '<result>%s</result>\\n' "$line"` })
}

function toMacosParts(exported: Exported): Omit<DetectionParts, 'ending'> {
  return {
    ...toParts(exported, propertyListReader),
    system: 'the managed preferences of macOS, and the helper',
    file: `/Library/Managed Preferences/${vendor.macosPayloadType}.plist`,
    isGuarded: true,
    userFiles: `/Users/*/Library/Preferences/${vendor.macosPayloadType}.plist`,
  }
}

function toParts({ document, entries }: Exported, reader: ValueReader) {
  const credential = document.inference?.credential
  const expected = Object.entries(entries).map(
    ([name, value]): ExpectedValue => ({
      name: reader.renderName(name),
      type: reader.nameType(value),
      ...(!isSecretName(name, document) && { text: reader.renderText(value) }),
    }),
  )
  return {
    reader,
    expected,
    unset: flatKeys.filter((name) => !Object.hasOwn(entries, name)),
    ...(credential?.kind === 'helper-script' && credential.command && { helper: credential.command }),
  }
}

/** Whether a key's value is one that no script may hold. */
function isSecretName(name: string, { inference }: ConfigDocument): boolean {
  const rows = fields.filter((field) => findFlatKey(field) === name)
  if (rows.some(({ rule }) => rule.type === 'header-map')) {
    return Object.entries(inference?.customHeaders ?? {}).some(([header, value]) => isCredentialHeader(header, value))
  }
  return rows.some(({ secret }) => secret)
}
