import type { CredentialKind } from './document.ts'

/** What a value must be. Lengths count UTF-16 code units. */
export type ValueRule =
  | {
      readonly type: 'text'
      readonly minLength?: number
      readonly choices?: readonly string[]
      readonly format?: 'uri'
      /** A regular expression's source, as JSON Schema wants it. */
      readonly pattern?: string
    }
  | { readonly type: 'integer'; readonly min: number; readonly max: number }
  | { readonly type: 'number'; readonly above?: number; readonly constant?: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'text-list'; readonly itemMaxLength: number; readonly itemPattern: string }
  | { readonly type: 'header-map' }
  | { readonly type: 'cluster' }

/** Who reads documents: the desktop client and the office-suite add-in. */
export const readers = ['desktop', 'suite'] as const
export type Reader = (typeof readers)[number]

/** One field of the document in one variant. */
export interface Field {
  /** In the nested form. Rows of different credential kinds may share a path. */
  readonly path: string
  /** In the flat form; `key.name` where the flat value is an object that holds the field. Absent: no flat key. */
  readonly flat?: string
  /** The credential kind that has it. Absent: every kind. */
  readonly kind?: CredentialKind
  readonly rule: ValueRule
  readonly default?: string | number | boolean
  /** First client release that reads it. Absent: not documented. */
  readonly since?: string
  /** A first or changed value is held back until the user agrees. */
  readonly consent?: true
  /** With this authentication of the fetch, the URL must share the origin that served the document. */
  readonly pin?: 'server-issued-credential'
  readonly availability: Reader | 'both'
  /** Must stand beside its siblings. Which fields are required is our decision. */
  readonly required?: true
  /** Stands for its kind when `kind` is unset. */
  readonly source?: true
  /** Another nested path where clients were seen to read it. */
  readonly alsoAt?: string
  /** What replaces the flat spelling. */
  readonly deprecation?: string
  readonly secret?: true
  /** An unreadable value means the default, and not that the administrator's wish is lost. */
  readonly lenient?: true
  /** The field is not in the specification, but published clients read it. */
  readonly seen?: true
  readonly summary: string
}

/** The field's name without its path. */
export function toFieldName(field: Field): string {
  return field.path.slice(field.path.lastIndexOf('.') + 1)
}

/** The nested path of the object that holds the field; empty for the document itself. */
export function toParentPath(field: Field): string {
  return field.path.slice(0, Math.max(0, field.path.lastIndexOf('.')))
}

/** The key of the flat form that holds the field, alone or with its siblings. */
export function findFlatKey(field: Field): string | undefined {
  return field.flat?.split('.')[0]
}
