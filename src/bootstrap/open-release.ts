import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readLinkStatus, readOpenBytes, readOpenStatus, readWith, safeOpenFlags } from '../runtime/disk.ts'
import { type FailureKind, HelperError } from '../runtime/failure.ts'
import { parseClaimPath } from '../runtime/tokens/claim-path.ts'
import { isObject, parseJson, type RawObject } from '../runtime/values/json-value.ts'
import type { ClaimCondition } from '../verify/policy/policy.ts'
import {
  isForEverybody,
  type Manifest,
  type Pointer,
  parseManifest,
  parsePointer,
  releaseFiles,
  releaseLimits,
  toCombinationKey,
} from './release.ts'
import { type PublicKey, parseSigned } from './signed-line.ts'

/** What a release folder serves at one moment: everything was verified, and is in memory. It is never changed. */
export interface OpenRelease {
  readonly pointer: Pointer
  /** The digest of the bytes of the pointer: it differs after any change of the folder. */
  readonly digest: string
  readonly current: LoadedRelease
  /** For those who do not get {@link current} yet; absent if everybody gets it. */
  readonly previous?: LoadedRelease
}

/** One release with its documents. */
export interface LoadedRelease {
  readonly manifest: Manifest
  readonly digest: string
  /** The groups of the manifest, ready to be matched. */
  readonly groups: readonly LoadedGroup[]
  readonly pilot: ReadonlySet<string>
  /** By {@link toCombinationKey}. */
  readonly documents: ReadonlyMap<string, ReleasedDocument>
}

/** A group as a manifest has it, with its claims parsed. */
export interface LoadedGroup {
  readonly name: string
  /** An issuer of JWTs, or `aws`; any if absent. */
  readonly issuer?: string | undefined
  readonly conditions: readonly ClaimCondition[]
  readonly choice?: string | undefined
  readonly precedence?: number | undefined
}

/** A document of a release. */
export interface ReleasedDocument {
  /**
   * SHA-256 of {@link bytes}. Keys are sorted, and there is no `expiresAt`, so that two documents with the same meaning have the same digest: it
   * is what the `ETag` of an answer begins with.
   */
  readonly digest: string
  /** JSON in the nested form. */
  readonly bytes: Uint8Array
  readonly value: RawObject
}

/** Why a release cannot be used. `missing` and `unreadable` may pass by themselves while a folder is being copied. */
type ReleaseProblem =
  | 'missing'
  | 'unreadable'
  | 'link'
  | 'too-large'
  | 'not-signed'
  | 'unknown-key'
  | 'bad-signature'
  | 'bad-format'
  | 'other-content'
  | 'rolled-back'

/** A release that is not to be served. Nothing of it is kept. */
export class ReleaseError extends HelperError {
  readonly code: ReleaseProblem

  constructor(code: ReleaseProblem, message: string, hint: string, options?: ErrorOptions) {
    const kind: FailureKind = code === 'missing' || code === 'unreadable' ? 'unavailable' : 'refused'
    super(kind, message, hint, options)
    this.name = 'ReleaseError'
    this.code = code
  }
}

interface OpenOptions {
  /** The lowest serial of a pointer that is accepted: the highest that was seen, so that an older pointer is refused. */
  readonly lowestSerial?: number
  /** What was opened before: it is returned again if the folder is unchanged, and its documents are not read twice. */
  readonly known?: OpenRelease
}

/**
 * Reads what a release folder serves. The pointer, the manifests that it needs and every one of their documents are verified before anything is
 * returned: signatures by one of the keys, digests, formats and sizes. Nothing in the folder may be a link; the folder itself may be one. While
 * a folder is replaced or copied, a call gives the whole old state or the whole new one, or throws.
 *
 * A server calls it every second with `known`, serves what it returned last when it throws, and passes the serial of that as `lowestSerial`.
 * @throws {ReleaseError} if anything is missing or does not verify.
 */
export async function openRelease(
  directory: string,
  keys: readonly PublicKey[],
  { lowestSerial = 0, known }: OpenOptions = {},
): Promise<OpenRelease> {
  const bytes = await readReleaseFile(directory, releaseFiles.pointer, releaseLimits.pointerBytes)
  const digest = digestFile(bytes)
  if (digest === known?.digest) return known
  const pointer = parsePointer(requireSigned(bytes, keys, releaseFiles.pointer))
  if (!pointer) throw toFormatError(releaseFiles.pointer)
  const seen = Math.max(lowestSerial, known?.pointer.serial ?? 0)
  if (pointer.serial < seen)
    throw new ReleaseError(
      'rolled-back',
      `${releaseFiles.pointer} has the serial ${pointer.serial}, and a later one has been seen`,
      `copy the newest ${releaseFiles.pointer} back: somebody may have put an old one there; if it is lost, publish until the serial is above ${seen}`,
    )
  const read = (name: string) => readRelease(directory, keys, name, listKnown(known))
  const current = await read(pointer.manifest)
  const { previous } = current.manifest
  if (isForEverybody(pointer, current.manifest) || previous === undefined) return { pointer, digest, current }
  return { pointer, digest, current, previous: await read(previous) }
}

function listKnown(known: OpenRelease | undefined): ReadonlyMap<string, LoadedRelease> {
  const loaded = known ? [known.current, ...(known.previous ? [known.previous] : [])] : []
  return new Map(loaded.map((each) => [each.digest, each]))
}

/**
 * Reads one release whole, by the digest of its manifest.
 * @param known Releases that were read before, by their digests; their documents are not read again.
 * @throws {ReleaseError}
 */
export async function readRelease(
  directory: string,
  keys: readonly PublicKey[],
  digest: string,
  known: ReadonlyMap<string, LoadedRelease> = new Map(),
): Promise<LoadedRelease> {
  const found = known.get(digest)
  if (found) return found
  const manifest = await readManifest(directory, keys, digest)
  const ofKnown = known.values().flatMap(({ documents }) => documents.values())
  const documents = new Map([...ofKnown].map((document) => [document.digest, document]))
  let total = 0
  for (const name of new Set(manifest.combinations.map(({ document }) => document))) {
    const document = documents.get(name) ?? (await readDocument(directory, name))
    total += document.bytes.length
    if (total > releaseLimits.totalBytes) throw toLengthError('the documents of the release', releaseLimits.totalBytes)
    documents.set(name, document)
  }
  return {
    manifest,
    digest,
    groups: manifest.groups.map(toLoadedGroup),
    pilot: new Set(manifest.pilot),
    documents: new Map(
      manifest.combinations.map(({ groups, document }) => [toCombinationKey(groups), documents.get(document)!]),
    ),
  }
}

async function readManifest(directory: string, keys: readonly PublicKey[], digest: string): Promise<Manifest> {
  const path = releaseFiles.manifest(digest)
  const bytes = await readReleaseFile(directory, path, releaseLimits.manifestBytes)
  refuseOther(bytes, digest, path)
  const manifest = parseManifest(requireSigned(bytes, keys, path))
  if (!manifest) throw toFormatError(path)
  return manifest
}

async function readDocument(directory: string, digest: string): Promise<ReleasedDocument> {
  const path = releaseFiles.document(digest)
  const bytes = await readReleaseFile(directory, path, releaseLimits.documentBytes)
  refuseOther(bytes, digest, path)
  const value = parseJson(Buffer.from(bytes).toString('utf8'))
  if (!isObject(value)) throw toFormatError(path)
  return { digest, bytes, value }
}

/** A group of a manifest, ready to be matched. A name of a claim that cannot be parsed matches nobody. */
export function toLoadedGroup({ claims, ...group }: Manifest['groups'][number]): LoadedGroup {
  const conditions = Object.entries(claims).map(([name, patterns]) => {
    const claim = parseClaimPath(name)
    return claim ? { claim, patterns } : { claim: { text: name, names: [name] as const }, patterns: [] }
  })
  return { ...group, conditions }
}

/** SHA-256 of the bytes of a file, in hexadecimal. */
export function digestFile(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Reads one file of a release folder, never through a link and never waiting for the other end of a pipe.
 * @throws {ReleaseError}
 */
async function readReleaseFile(directory: string, name: string, longestBytes: number): Promise<Uint8Array> {
  const [folder, file] = name.includes('/') ? name.split('/') : [undefined, name]
  try {
    const isInFolder = folder !== undefined && (await hasFolder(directory, folder))
    const path = isInFolder ? join(directory, folder, file!) : join(directory, file!)
    // Windows has no flag for it.
    if ((await readLinkStatus(path)).isSymbolicLink()) throw toLinkError(name)
    return await readWith(path, safeOpenFlags, async (opened) => {
      const status = await readOpenStatus(opened)
      if (!status.isFile()) throw toLinkError(name)
      if (status.size > longestBytes) throw toLengthError(name, longestBytes)
      return readOpenBytes(opened, status.size)
    })
  } catch (cause) {
    if (cause instanceof ReleaseError) throw cause
    throw toReadError(directory, name, cause as NodeJS.ErrnoException)
  }
}

/** Without such a folder, its files lie in the release folder itself, as the keys of a ConfigMap do. @throws {ReleaseError} for a link. */
async function hasFolder(directory: string, folder: string): Promise<boolean> {
  const status = await readLinkStatus(join(directory, folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (status && !status.isDirectory()) throw toLinkError(folder)
  return status !== undefined
}

/** The failure of reading one file or folder of a release folder, by the system's error. */
export function toReadError(directory: string, name: string, cause: NodeJS.ErrnoException): ReleaseError {
  if (cause.code === 'ELOOP') return toLinkError(name)
  if (cause.code === 'ENOENT' && name === releaseFiles.pointer)
    return new ReleaseError(
      'missing',
      `there is no release in ${directory}: it has no ${name}`,
      'name the folder that a release was published to; if it is being copied, that file comes last',
      { cause },
    )
  if (cause.code === 'ENOENT')
    return new ReleaseError(
      'missing',
      `the release in ${directory} is not whole: it has no ${name}`,
      `copy the folder again, with ${releaseFiles.pointer} after everything else`,
      { cause },
    )
  return new ReleaseError(
    'unreadable',
    `${join(directory, name)} cannot be read (${cause.code ?? 'unknown error'})`,
    'make the whole folder readable for the user who runs this',
    { cause },
  )
}

function requireSigned(bytes: Uint8Array, keys: readonly PublicKey[], name: string): unknown {
  const signed = parseSigned(bytes, keys)
  if (!('problem' in signed)) return signed.value
  const { problem } = signed
  throw new ReleaseError(problem, `${name} ${signatureProblems[problem].message}`, signatureProblems[problem].hint)
}

const signatureProblems = {
  'not-signed': {
    message: 'is not a signed file of a release',
    hint: 'copy the file from where the folder is whole: nothing is published over it',
  },
  'unknown-key': {
    message: 'is signed with another key',
    hint: 'name the public key of whoever publishes this folder; a file may hold several',
  },
  'bad-signature': {
    message: 'was changed after it was signed',
    hint: 'find out who can write the folder, and copy the file from where the folder is whole: nothing is published over it',
  },
} as const

function refuseOther(bytes: Uint8Array, digest: string, name: string): void {
  if (digestFile(bytes) === digest) return
  throw new ReleaseError(
    'other-content',
    `${name} has content that does not match its name`,
    'copy the folder again; if it stays so, find out who can write it',
  )
}

function toFormatError(name: string): ReleaseError {
  return new ReleaseError(
    'bad-format',
    `${name} has a form that this program does not know`,
    'update this program to the release that published the folder, or a later one',
  )
}

function toLinkError(name: string): ReleaseError {
  return new ReleaseError(
    'link',
    `${name} is a link, or not a file or directory as it has to be`,
    'copy the files themselves: nothing in a release folder may be a link',
  )
}

function toLengthError(name: string, longestBytes: number): ReleaseError {
  const longest = longestBytes < 1024 * 1024 ? `${longestBytes / 1024} KiB` : `${longestBytes / 1024 / 1024} MiB`
  return new ReleaseError('too-large', `${name} is longer than ${longest}`, 'publish the release again with less in it')
}
