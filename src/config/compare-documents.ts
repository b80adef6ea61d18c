import { isDeepStrictEqual } from 'node:util'
import { secretMark } from '../runtime/secret.ts'
import { hideArgumentSecrets, isCredentialHeader } from '../runtime/text/credential-text.ts'
import { hideUrlSecrets } from '../runtime/text/hide-secrets.ts'
import type { ConfigDocument } from './document.ts'
import { listValues, toCurrentSpelling } from './document-values.ts'
import type { Field } from './field.ts'
import { fields, findConsent } from './fields.ts'

/** A field with a different effect in a client. */
export interface Difference {
  readonly field: Field
  /** The value, with secrets masked; `undefined` if the field is not set and has no default. */
  readonly before: unknown
  readonly after: unknown
  /** `asked`: the new value waits until the user agrees. */
  readonly consent: 'asked' | 'not asked'
}

/** Lists the fields with a different effect in a client. A default that is written out, or another spelling, makes no difference. */
export function compareDocuments(before: ConfigDocument, after: ConfigDocument): Difference[] {
  // A client compares the document that it has agreed to several times in every turn, and finds the same one.
  if (before === after) return []
  const [oldValues, newValues] = [toEffectiveValues(before), toEffectiveValues(after)]
  const written = new Set(listValues(toCurrentSpelling(after)).map(({ field }) => field))
  return fields
    .filter(
      (field) =>
        (oldValues.has(field) || newValues.has(field)) &&
        !isDeepStrictEqual(oldValues.get(field), newValues.get(field)),
    )
    .map((field) => ({
      field,
      before: hideFieldSecrets(field, oldValues.get(field)),
      after: hideFieldSecrets(field, newValues.get(field)),
      consent: findConsent(field) && written.has(field) ? 'asked' : 'not asked',
    }))
}

/** Converts a document to the values that are set, and the defaults of the objects and kinds in use. */
function toEffectiveValues(document: ConfigDocument): ReadonlyMap<Field, unknown> {
  const values = listValues(toCurrentSpelling(document))
  const kind = document.inference && toCurrentSpelling(document).inference?.credential?.kind
  const isInUse = (field: Field) => (field.kind ? field.kind === kind : document.inference !== undefined)
  const defaults = fields.filter((field) => field.default !== undefined && isInUse(field))
  return new Map<Field, unknown>([
    ...defaults.map((field) => [field, field.default] as const),
    ...values.map(({ field, value }) => [field, value] as const),
  ])
}

/** Masks credentials in a value, so that it can be shown. */
export function hideFieldSecrets({ secret, rule }: Field, value: unknown): unknown {
  if (value === undefined) return undefined
  if (secret) return secretMark
  if (rule.type === 'header-map') return hideHeaders(value as Readonly<Record<string, string>>)
  if (rule.type === 'text-list') return hideArgumentSecrets(value as string[])
  return typeof value === 'string' ? hideUrlSecrets(value) : value
}

/** Masks credentials among the headers, which are meant for routing but may hold one by mistake. */
function hideHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const masked = Object.entries(headers).map(([name, value]) => [
    name,
    isCredentialHeader(name, value) ? secretMark : value,
  ])
  return Object.fromEntries(masked)
}
