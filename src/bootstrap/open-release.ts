// Reads and verifies the releases of a folder as a whole; `read-release-file.ts` reads each file.

import { parseClaimPath } from '../runtime/tokens/claim-path.ts'
import { isObject, parseJson, type RawObject } from '../runtime/values/json-value.ts'
import type { ClaimCondition } from '../verify/policy/policy.ts'
import {
  digestFile,
  ReleaseError,
  readReleaseFile,
  refuseOtherContent,
  requireSigned,
  toFormatError,
  toLengthError,
} from './read-release-file.ts'
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
import type { PublicKey } from './signed-line.ts'

/** The releases that a folder serves at one time. All contents were verified, are in memory, and never change. */
export interface OpenRelease {
  readonly pointer: Pointer
  /** The digest of the pointer's bytes, which differs after any change of the folder. */
  readonly digest: string
  readonly current: LoadedRelease
  /** The release for people who do not get {@link current} yet; absent if everybody gets it. */
  readonly previous?: LoadedRelease
}

/** One release with its documents. */
export interface LoadedRelease {
  readonly manifest: Manifest
  readonly digest: string
  /** The groups of the manifest, with parsed claims. */
  readonly groups: readonly LoadedGroup[]
  readonly pilot: ReadonlySet<string>
  /** The key is that of {@link toCombinationKey}. */
  readonly documents: ReadonlyMap<string, ReleasedDocument>
}

/** A group of a manifest, with parsed claims. */
export interface LoadedGroup {
  readonly name: string
  /** An issuer of JWTs, or `aws`; any issuer if absent. */
  readonly issuer?: string | undefined
  readonly conditions: readonly ClaimCondition[]
  readonly choice?: string | undefined
  readonly precedence?: number | undefined
}

/** A document of a release whose digest was verified, in the bytes that are served. */
export interface ReleasedDocument {
  /**
   * SHA-256 of {@link bytes}, which has sorted keys and no `expiresAt`, so that documents with equal values have equal digests. The `ETag`
   * of an answer begins with it.
   */
  readonly digest: string
  /** JSON in the nested form. */
  readonly bytes: Uint8Array
  readonly value: RawObject
}

/**
 * Reads the releases that a folder serves. The pointer, the required manifests and all their documents are verified before anything is
 * returned: signatures by one of the keys, digests, formats and sizes. The folder itself may be a link, but nothing in it. While a folder
 * is replaced or copied, a call returns the complete old state or the complete new one, or throws.
 * A server calls it every second with `known`. If it throws, the server keeps its last result, whose serial it passes as `lowestSerial`.
 * @throws {ReleaseError} if anything is missing or fails verification.
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
  refuseOlder(pointer, Math.max(lowestSerial, known?.pointer.serial ?? 0))
  const read = (name: string) => readRelease(directory, keys, name, toKnownReleases(known))
  const current = await read(pointer.manifest)
  const { previous } = current.manifest
  if (isForEverybody(pointer, current.manifest) || previous === undefined) return { pointer, digest, current }
  return { pointer, digest, current, previous: await read(previous) }
}

/**
 * Reads one complete release, by the digest of its manifest.
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
  const documents = await readDocuments(directory, manifest, known)
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

/** Parses the claims of a manifest's group. A malformed claim name matches nobody. */
export function toLoadedGroup({ claims, ...group }: Manifest['groups'][number]): LoadedGroup {
  const conditions = Object.entries(claims).map(([name, patterns]) => {
    const claim = parseClaimPath(name)
    return claim ? { claim, patterns } : { claim: { text: name, names: [name] as const }, patterns: [] }
  })
  return { ...group, conditions }
}

interface OpenOptions {
  /** The lowest accepted serial of a pointer: the highest that was seen, so that an older pointer is refused. */
  readonly lowestSerial?: number
  /** The release that was opened before. It is returned again if the folder is unchanged, so that no document is read twice. */
  readonly known?: OpenRelease
}

function refuseOlder({ serial }: Pointer, seen: number): void {
  if (serial >= seen) return
  throw new ReleaseError(
    'rolled-back',
    `${releaseFiles.pointer} has the serial ${serial}, and a later one has been seen`,
    `copy the newest ${releaseFiles.pointer} back: somebody may have put an old one there; if it is lost, publish until the serial is above ${seen}`,
  )
}

function toKnownReleases(known: OpenRelease | undefined): ReadonlyMap<string, LoadedRelease> {
  const loaded = known ? [known.current, ...(known.previous ? [known.previous] : [])] : []
  return new Map(loaded.map((each) => [each.digest, each]))
}

async function readManifest(directory: string, keys: readonly PublicKey[], digest: string): Promise<Manifest> {
  const path = releaseFiles.manifest(digest)
  const bytes = await readReleaseFile(directory, path, releaseLimits.manifestBytes)
  refuseOtherContent(bytes, digest, path)
  const manifest = parseManifest(requireSigned(bytes, keys, path))
  if (!manifest) throw toFormatError(path)
  return manifest
}

async function readDocuments(
  directory: string,
  { combinations }: Manifest,
  known: ReadonlyMap<string, LoadedRelease>,
): Promise<Map<string, ReleasedDocument>> {
  const ofKnown = known.values().flatMap(({ documents }) => documents.values())
  const documents = new Map([...ofKnown].map((document) => [document.digest, document]))
  let total = 0
  for (const name of new Set(combinations.map(({ document }) => document))) {
    const document = documents.get(name) ?? (await readDocument(directory, name))
    total += document.bytes.length
    if (total > releaseLimits.totalBytes) throw toLengthError('the documents of the release', releaseLimits.totalBytes)
    documents.set(name, document)
  }
  return documents
}

async function readDocument(directory: string, digest: string): Promise<ReleasedDocument> {
  const path = releaseFiles.document(digest)
  const bytes = await readReleaseFile(directory, path, releaseLimits.documentBytes)
  refuseOtherContent(bytes, digest, path)
  const value = parseJson(Buffer.from(bytes).toString('utf8'))
  if (!isObject(value)) throw toFormatError(path)
  return { digest, bytes, value }
}
