import { isDeepStrictEqual } from 'node:util'
import { carriesCredential } from './credential-header.ts'
import type { ConfigDocument } from './document.ts'
import { modernizeDocument, valuesOf } from './document-values.ts'
import type { Field } from './field.ts'
import { fields, findConsent } from './fields.ts'

export interface Difference {
  readonly field: Field
  /** `undefined`: unset, and without a default. Secrets are hidden. */
  readonly before: unknown
  readonly after: unknown
  /** `asked`: the new value is held back until the user agrees. */
  readonly consent: 'asked' | 'not asked'
}

/** What a client would apply differently; writing out a default, or another spelling, changes nothing. */
export function compareDocuments(before: ConfigDocument, after: ConfigDocument): Difference[] {
  const [old, now] = [effectiveValues(before), effectiveValues(after)]
  const written = new Set(valuesOf(modernizeDocument(after)).map(({ field }) => field))
  return fields
    .filter((field) => (old.has(field) || now.has(field)) && !isDeepStrictEqual(old.get(field), now.get(field)))
    .map((field) => ({
      field,
      before: show(field, old.get(field)),
      after: show(field, now.get(field)),
      consent: findConsent(field) && written.has(field) ? 'asked' : 'not asked',
    }))
}

/** Set values, and the defaults of the objects and kinds that are in use. */
function effectiveValues(document: ConfigDocument): ReadonlyMap<Field, unknown> {
  const values = valuesOf(modernizeDocument(document))
  const kind = document.inference && modernizeDocument(document).inference?.credential?.kind
  const isInUse = (field: Field) => (field.kind ? field.kind === kind : document.inference !== undefined)
  const defaults = fields.filter((field) => field.default !== undefined && isInUse(field))
  return new Map<Field, unknown>([
    ...defaults.map((field) => [field, field.default] as const),
    ...values.map(({ field, value }) => [field, value] as const),
  ])
}

function show({ secret, rule }: Field, value: unknown): unknown {
  if (value === undefined) return undefined
  if (secret) return hidden
  return rule.type === 'header-map' ? showHeaders(value as Readonly<Record<string, string>>) : value
}

const hidden = '[secret]'

/** Headers are for routing; a credential that stands there by mistake is still one. */
function showHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [name, carriesCredential(name, value) ? hidden : value])
  return Object.fromEntries(shown)
}
