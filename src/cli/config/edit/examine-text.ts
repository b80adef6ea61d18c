import { lstat } from 'node:fs/promises'
import { parse } from 'jsonc-parser'
import { listReleases } from '../../../config/check/release.ts'
import { compareDocuments, type Difference } from '../../../config/compare-documents.ts'
import { compareReleases } from '../../../config/define-field.ts'
import { type Field, findFlatKeys, toFieldName, toParentPath } from '../../../config/field.ts'
import { fields, findConsent } from '../../../config/fields.ts'
import type { Finding } from '../../../config/finding.ts'
import { parseDocument, type ReadResult } from '../../../config/read/read-document.ts'
import { validateManagedFile } from '../../../config/read/read-document-file.ts'
import { describeRule } from '../../../config/render/list-fields.ts'
import { isObject } from '../../../runtime/values/json-value.ts'
import { joinPath } from '../../../runtime/values/position.ts'
import { vendor } from '../../../vendor.ts'
import type { Cli } from '../../cli.ts'
import type { SourceShape } from '../../read-source.ts'
import { type CheckedFor, collectFindings, renderConclusion } from '../collect-findings.ts'
import { renderValue } from '../diff.ts'
import type { Compared, Examined, ShownDifference, ShownField, ShownFinding } from './page-data.ts'

/** The file to which a text belongs. */
export interface EditedFile {
  readonly path: string
  readonly shape?: SourceShape | undefined
}

/** Reads a text as `gatepass config check` reads the file. */
export async function readText(text: string, { path, shape }: EditedFile): Promise<ReadResult> {
  const bytes = Buffer.from(text)
  if (shape !== 'managed-linux' && path !== vendor.linuxManagedFile) return parseDocument(bytes, shape ? { shape } : {})
  const result = parseDocument(bytes, { native: true })
  const status = await lstat(path).catch(() => undefined) // the file does not exist yet
  return status ? { ...result, findings: [...validateManagedFile(status, path), ...result.findings] } : result
}

/** Examines a text with the code of `gatepass config check`. */
export async function examineText(
  cli: Cli,
  text: string,
  { file, wanted }: { readonly file: EditedFile; readonly wanted: CheckedFor },
): Promise<Examined> {
  const result = await readText(text, file)
  const findings = await collectFindings(cli, result, wanted)
  // A text with comments is not a valid document, but it can be edited.
  const shown = result.document ? result : await readText(JSON.stringify(parseTolerantly(text)), file)
  const kind = shown.document?.inference?.credential?.kind ?? findNamedKind(shown)
  const keys = new Map(
    fields
      .filter((field) => field.kind === undefined || field.kind === kind)
      .flatMap((field) => {
        const found = findKeys(field, shown)
        return found ? [[toId(field), found] as const] : []
      }),
  )
  return {
    shape: shown.shape,
    kind,
    keys: Object.fromEntries(keys),
    findings: findings.map((finding) => addField(finding, keys)),
    conclusion: renderConclusion(result, findings),
    releases: groupReleases(result),
  }
}

function parseTolerantly(text: string): object {
  const value: unknown = parse(text, [], { allowTrailingComma: true })
  return isObject(value) ? value : {}
}

/** Finds the kind in a document whose credential is incomplete. */
function findNamedKind({ values }: ReadResult): Examined['kind'] {
  const named = values.find(({ field }) => field.path === 'inference.credential.kind')
  return named?.value as Examined['kind'] // the rule of the field permits only kinds
}

function toId({ path, kind }: Field): string {
  return kind === undefined ? path : `${path} ${kind}`
}

/** Finds the keys that lead to a field in the document's form; `undefined` if the form cannot contain the field. */
function findKeys(field: Field, result: ReadResult): readonly string[] | undefined {
  if (result.shape === 'nested' || result.shape === undefined) return selectNestedKeys(field, result)
  const spelled = findValue(field, result)?.spelledAs ?? findOldRow(field, result) ?? field
  const isNative = result.shape === 'flat' && field.rule.type !== 'object'
  return findFlatKeys(spelled) ?? (isNative ? [field.path] : undefined)
}

/** Names of fields contain no dots. A missing field belongs next to the others of its object, which clients read in two places. */
function selectNestedKeys(field: Field, result: ReadResult): readonly string[] {
  const value = findValue(field, result)
  if (value) return value.path.split('.')
  const isSibling = (other: Field) =>
    toParentPath(other) === toParentPath(field) && (other.kind ?? field.kind) === field.kind
  const sibling = result.values.find((other) => isSibling(other.field) && !other.isImplied)
  if (!sibling) return field.path.split('.')
  return [...sibling.path.split('.').slice(0, -1), toFieldName(field)]
}

function findValue(field: Field, { values }: ReadResult) {
  return values.find((value) => value.field === field && !value.isImplied)
}

/** Finds the row of a field in an object that the document spells in a deprecated way. */
function findOldRow(field: Field, result: ReadResult): Field | undefined {
  const outer = findOuter(field)
  const old = outer && findValue(outer, result)?.spelledAs
  return old && fields.find(({ path, kind }) => path === field.path && kind === old.kind)
}

/** Finds the row of the object that contains a field. */
function findOuter(field: Field): Field | undefined {
  const parent = toParentPath(field)
  return fields.find(({ path, kind }) => path === parent && (kind === undefined || kind === field.kind))
}

/** Adds the innermost row to which the path of a finding leads. */
function addField(finding: Finding, keys: ReadonlyMap<string, readonly string[]>): ShownFinding {
  const spelled = [...keys].map(([id, parts]) => ({ id, path: parts.reduce<string>(joinPath, '') }))
  const holds = (path: string) => finding.path === path || /^[.[]/.test(finding.path.slice(path.length))
  const around = spelled.filter(({ path }) => finding.path.startsWith(path) && holds(path))
  const [nearest] = around.toSorted((a, b) => b.path.length - a.path.length)
  return nearest ? { ...finding, field: nearest.id } : finding
}

function groupReleases(result: ReadResult): Examined['releases'] {
  // A field without a documented release is read by every release.
  const known = listReleases(result).filter(({ release }) => release !== '0')
  const grouped = Map.groupBy(known, ({ release }) => release)
  return [...grouped]
    .toSorted(([a], [b]) => compareReleases(a, b))
    .map(([release, rows]) => ({ release, paths: rows.map(({ path }) => path) }))
}

/** Compares two texts, as `gatepass config diff` does. */
export function compareText(before: ReadResult, after: ReadResult, source: string): Compared {
  const unreadable = before.document ? (after.document ? '' : 'the text in this page') : source
  if (!before.document || !after.document)
    return { source, problem: `Nothing was compared: ${unreadable} cannot be read.`, differences: [] }
  return { source, problem: '', differences: compareDocuments(before.document, after.document).map(toShownDifference) }
}

function toShownDifference({ field, before, after, consent }: Difference): ShownDifference {
  return { path: field.path, before: renderValue(before), after: renderValue(after), isAsked: consent === 'asked' }
}

/** Lists the field table as the page shows it. */
export function listShownFields(): ShownField[] {
  return fields.map((field) => ({
    id: toId(field),
    path: field.path,
    parent: toParentPath(field),
    ...(field.kind && { kind: field.kind }),
    rule: field.rule,
    meaning: field.summary,
    limits: describeRule(field.rule),
    isSecret: field.secret === true,
    isAsked: findConsent(field) !== undefined,
    facts: listFacts(field),
  }))
}

function listFacts(field: Field): string[] {
  const { availability, deprecation } = field
  const facts = [
    field.required && 'Required',
    field.default !== undefined && `Default \`${field.default}\``,
    field.since && `Read since ${field.since}`,
    availability !== 'both' && `Read by \`${availability}\` alone`,
    field.flat && `Flat key \`${field.flat}\``,
    field.pin && 'Has to share the origin of the server that hands the document out',
    deprecation && `Deprecated in the flat form: use \`${deprecation}\``,
    field.observed && 'Seen in clients, not in the specification',
  ]
  return facts.filter((fact) => typeof fact === 'string')
}
