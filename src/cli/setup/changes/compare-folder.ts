import { hash } from 'node:crypto'
import { join } from 'node:path'
import { HelperError, toOneLine } from '../../../runtime/failure.ts'
import { isObject, parseJson } from '../../../runtime/values/json-value.ts'
import type { AnswerName, SetupAnswers } from '../answers.ts'
import {
  answersPath,
  authorityPath,
  awsConfigPath,
  documentPath,
  type FolderFile,
  manifestPath,
  type OwnTexts,
  policyPath,
  readIfThere,
  toBytes,
  vendorPath,
  windowsDocumentPath,
} from '../folder.ts'
import { findNearestWord } from '../setup-question.ts'

/** The change of one file in the folder by a run of setup. */
export interface FolderChange {
  readonly path: string
  /**
   * `undecided`: a person has changed the file since setup wrote it, or setup never wrote it, and no decision was made. `own`: a person has
   * decided to keep their own text.
   */
  readonly kind: 'new' | 'same' | 'changed' | 'removed' | 'undecided' | 'own'
  readonly before: Uint8Array
  readonly after: Uint8Array
  readonly isSecret: boolean
  readonly isExport: boolean
  /** The path for a person's text if setup replaces it. */
  readonly saved?: string | undefined
}

/** A person's decisions about files that they changed; paths are those of the folder. */
export interface FileDecisions {
  /** Files that stay unchanged from now on. */
  readonly keep: readonly string[]
  /** Files that get the new text. */
  readonly take: readonly string[]
}

/**
 * Compares the folder with the planned one.
 * @throws {HelperError} `usage` for a decision about a file that the folder does not have.
 */
export async function compareFolder(
  directory: string,
  files: readonly FolderFile[],
  decisions: FileDecisions,
): Promise<FolderChange[]> {
  const records = await readManifest(directory)
  const names = new Set(files.map(({ path }) => path))
  const gone = [...records.keys()]
    .filter((path) => !names.has(path))
    .map((path) => ({ path, content: '', about: '', isGone: true }))
  const all = await Promise.all(
    [...files, ...gone].map(async (file) => {
      const before = await readIfThere(join(directory, file.path))
      return compareFile(directory, { file, before, record: records.get(file.path) }, decisions)
    }),
  )
  const changes = all.filter((change) => change !== undefined)
  refuseUnknown(changes, decisions)
  return changes
}

interface ComparedFile {
  readonly file: FolderFile & { readonly isGone?: boolean }
  readonly before: Uint8Array | undefined
  /** The entry of the manifest about the file. */
  readonly record: string | undefined
}

async function compareFile(
  directory: string,
  compared: ComparedFile,
  decisions: FileDecisions,
): Promise<FolderChange | undefined> {
  const { file, before, record } = compared
  const { path, isSecret = false, isExport = false, isGone = false } = file
  if (isGone && before === undefined) return undefined
  const kind = detectKind(compared, decisions)
  const isReplaced = kind === 'changed' || kind === 'removed'
  const isOfPerson = before !== undefined && hash('sha256', before) !== record
  const saved = isReplaced && isOfPerson ? await locateSavedName(directory, path) : undefined
  const contents = { before: before ?? Buffer.alloc(0), after: toProposed(file) }
  return { path, kind, ...contents, isSecret, isExport, saved }
}

function detectKind({ file, before, record }: ComparedFile, { keep, take }: FileDecisions): FolderChange['kind'] {
  const { path, isGone } = file
  const after = toProposed(file)
  if (before === undefined) return 'new'
  if (!isGone && Buffer.compare(before, after) === 0) return 'same'
  if (keep.includes(path)) return 'own'
  // Setup reads the answers and the authority, so a manual change of them is a change of the answers.
  if (take.includes(path) || path === answersPath || path === authorityPath || hash('sha256', before) === record)
    return isGone ? 'removed' : 'changed'
  return record === toOwnRecord(after) ? 'own' : 'undecided'
}

/** Returns the text that setup would write. */
function toProposed({ content, proposed }: FolderFile): Buffer {
  return toBytes({ content: proposed ?? content })
}

/** Returns the record of a person's own file: it stays their own, without a message, until setup's text changes. */
function toOwnRecord(after: Uint8Array): string {
  return `kept instead of ${hash('sha256', after)}`
}

/** Locates an unused name next to the file. */
async function locateSavedName(directory: string, path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = `${path}.before${number === 1 ? '' : `-${number}`}`
    if ((await readIfThere(join(directory, name))) === undefined) return name
  }
}

function refuseUnknown(changes: readonly FolderChange[], { keep, take }: FileDecisions): void {
  const names = changes.filter(({ kind }) => kind !== 'new').map(({ path }) => path)
  for (const [option, paths] of [['--keep', keep] as const, ['--take', take] as const])
    for (const path of paths) {
      if (names.includes(path)) continue
      const near = findNearestWord(path, names)
      const hint = near === undefined ? 'name a file as README.md of the folder lists it' : `did you mean ${near}?`
      throw new HelperError('usage', toOneLine(`${option}: the folder has no file ${path}`), hint)
    }
  const both = keep.find((path) => take.includes(path))
  if (both !== undefined)
    throw new HelperError('usage', toOneLine(`--keep and --take both name ${both}`), 'pass one of them')
}

/** Reads the entries of the manifest by file: the digest of setup's text, or that a person keeps their own text. */
export async function readManifest(directory: string): Promise<Map<string, string>> {
  const text = await readIfThere(join(directory, manifestPath))
  const parsed = text === undefined ? undefined : parseJson(Buffer.from(text).toString('utf8'))
  const entries = isObject(parsed) ? Object.entries(parsed) : []
  return new Map(entries.flatMap(([path, record]) => (typeof record === 'string' ? [[path, record] as const] : [])))
}

/** Returns the new entries of the manifest. An undecided file keeps its record, so that it counts as changed by a person next time too. */
export function toManifest(changes: readonly FolderChange[], old: ReadonlyMap<string, string>): Record<string, string> {
  const records = changes.flatMap(({ path, kind, after }) => {
    if (kind === 'removed') return []
    const ownRecord = kind === 'own' ? toOwnRecord(after) : hash('sha256', after)
    const record = kind === 'undecided' ? old.get(path) : ownRecord
    return record === undefined ? [] : [[path, record] as const]
  })
  return Object.fromEntries(records)
}

/**
 * Reads a person's own texts in the folder from which other files are generated, with or without a decision: the generated files then match
 * the folder.
 */
export async function readOwnTexts(
  directory: string,
  answers: SetupAnswers,
  { take }: Pick<FileDecisions, 'take'>,
): Promise<OwnTexts> {
  const records = await readManifest(directory)
  const ownTexts = await Promise.all(
    listSources(answers)
      .filter((path) => !take.includes(path))
      .map(async (path) => {
        const text = await readIfThere(join(directory, path))
        const isOwn = text !== undefined && hash('sha256', text) !== records.get(path)
        return isOwn ? [[path, Buffer.from(text).toString('utf8')] as const] : []
      }),
  )
  return new Map(ownTexts.flat())
}

/** Lists the files from which other files are generated. */
function listSources({ identity }: Pick<SetupAnswers, AnswerName>): string[] {
  const others = [vendorPath, `machine/${identity}.json`, awsConfigPath, policyPath]
  return [documentPath, windowsDocumentPath, ...others]
}
