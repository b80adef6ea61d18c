import type { FindingCode } from './finding.ts'

/** The type and the limits of a value. Lengths are in UTF-16 code units. */
export type ValueRule =
  | {
      readonly type: 'text'
      readonly minLength?: number
      readonly choices?: readonly string[]
      readonly format?: TextFormat
    }
  | { readonly type: 'integer'; readonly min: number; readonly max: number }
  | { readonly type: 'number'; readonly above?: number; readonly constant?: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'text-list'; readonly itemMaxLength: number; readonly itemPattern: string }
  | { readonly type: 'header-map' }
  | { readonly type: 'object' }

/** The forms that a text may have to have: a regular expression in the form of JSON Schema, a name for lists, and what is said of another text. */
export const textFormats = {
  uri: {
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\]+$',
    title: 'URL',
    problem: 'it is not a URL',
    hint: 'write the full URL, beginning with https://',
  },
  /** An absolute path on Windows: a drive letter, a colon, then a slash or backslash. */
  'windows-path': {
    pattern: '^[A-Za-z]:[/\\\\]',
    title: 'path with a drive letter',
    problem: 'it does not begin with a drive letter, a colon and a slash or backslash',
    hint: 'write the full path, such as C:\\Program Files\\Gatepass\\helper.exe',
  },
} as const
type TextFormat = keyof typeof textFormats

/** The programs that read documents: the desktop client and the office-suite add-in. */
export const readers = ['desktop', 'suite'] as const
/** One of the programs that read documents. */
export type Reader = (typeof readers)[number]

/** The kinds of credential, by the source that it comes from. */
export const credentialKinds = ['static', 'interactive', 'external-idp', 'helper-script'] as const
/** The kind of a credential; it decides which other keys count. */
export type CredentialKind = (typeof credentialKinds)[number]

/** One field of the document, for one kind of credential or for all. */
export interface Field {
  /** The path in the nested form. Rows of different credential kinds may share a path. */
  readonly path: string
  /** The key in the flat form; `key.name` where the flat value is an object that holds the field. Absent: no flat key. */
  readonly flat?: string
  /** The credential kind that has it. Absent: every kind. */
  readonly kind?: CredentialKind
  readonly rule: ValueRule
  readonly default?: string | number | boolean
  /** The first client release that reads the field; absent: not documented. */
  readonly since?: string
  /** Set if a first or changed value takes effect only after the user has agreed. */
  readonly consent?: true
  /** After a fetch with this authentication, the URL must share the origin that served the document. */
  readonly pin?: 'server-issued-credential'
  readonly availability: Reader | 'both'
  /** Set if the object is invalid without this field. Which fields are required is our decision. */
  readonly required?: true
  /** Set if the field is a source of the credential, so that it implies the kind if `kind` is not set. */
  readonly source?: true
  /** Another nested path where published clients read the field. */
  readonly alternatePath?: string
  /** The flat key that replaces a deprecated one. */
  readonly deprecation?: string
  readonly secret?: true
  /** The code of the finding for an unreadable value, which the default then replaces. */
  readonly defaultFinding?: FindingCode
  /** Published clients read the field, although the specification does not list it. */
  readonly observed?: true
  readonly summary: string
}

/** Returns the last part of the field's path. */
export function toFieldName(field: Field): string {
  return field.path.slice(field.path.lastIndexOf('.') + 1)
}

/** Returns the nested path of the object that holds the field; empty for a field of the document itself. */
export function toParentPath(field: Field): string {
  return field.path.slice(0, Math.max(0, field.path.lastIndexOf('.')))
}

/** Finds the flat key that holds the field, alone or with its siblings; `undefined` if the flat form has none. */
export function findFlatKey(field: Field): string | undefined {
  return findFlatKeys(field)?.[0]
}

/** Finds the keys that lead to the field in the flat form: its own, which may contain dots, or those of its object and its name. */
export function findFlatKeys(field: Field): readonly string[] | undefined {
  const inside = `.${toFieldName(field)}`
  if (!field.flat?.endsWith(inside)) return field.flat === undefined ? undefined : [field.flat]
  return [field.flat.slice(0, -inside.length), toFieldName(field)]
}
