import type { OperatingSystem } from '../check/rule.ts'
import { compareReleases } from '../define-field.ts'
import { externalIdpSince, fields } from '../fields.ts'
import { kindField } from '../read/deprecations.ts'
import type { FieldValue } from '../read/parse-fields.ts'
import type { ReadResult } from '../read/read-document.ts'

/**
 * A document as its conversion will be read: on another system than the file was made for, and in the spelling that the
 * client release reads. Paths stay those of the file, which is what a person corrects.
 */
export function toWritten(result: ReadResult, { os, clientVersion }: Target): ReadResult {
  const values = clientVersion === undefined ? result.values : toReleaseSpelling(result.values, clientVersion)
  // A registry file or a property list would be checked for its own system.
  return { ...result, values, ...(os && { container: 'json' }) }
}

/** The reader of a converted document. */
interface Target {
  readonly os?: OperatingSystem
  readonly clientVersion?: string
}

/** A client without the kind `external-idp` gets the rows of `interactive`; any other gets no deprecated spelling. */
function toReleaseSpelling(values: readonly FieldValue[], clientVersion: string): FieldValue[] {
  const isOld = compareReleases(clientVersion, externalIdpSince) < 0
  return values.map(({ spelledAs: _, ...value }) => {
    const old = isOld && (value.value === 'external-idp' ? kindField : findOldRow(value))
    return old ? { ...value, spelledAs: old } : value
  })
}

function findOldRow({ field }: FieldValue) {
  if (field.kind !== 'external-idp') return undefined
  return fields.find((other) => other.path === field.path && other.kind === 'interactive')
}
