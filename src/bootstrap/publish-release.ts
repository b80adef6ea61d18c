// Writes a release or another state of it to a folder; `change-pointer.ts` chooses the state.

import type { Stats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { attemptUnlessMissing } from '../runtime/disk.ts'
import { HelperError } from '../runtime/failure.ts'
import { type FileLock, openLock } from '../runtime/files/file-lock.ts'
import { createDirectory, UnsafeCacheError } from '../runtime/files/private-files.ts'
import { toWriteFailure, writeDurably } from '../runtime/files/replace-file.ts'
import { renderCounted } from '../runtime/text/counted.ts'
import type { BuiltDocument } from './build-documents.ts'
import {
  type ChangedPointer,
  chooseHalt,
  choosePromotion,
  type PointerChange,
  refuseUnfinished,
  renderPublish,
  requirePrevious,
  withPointerChange,
} from './change-pointer.ts'
import { type LoadedRelease, type OpenRelease, openRelease, readRelease } from './open-release.ts'
import { digestFile, ReleaseError, toReadError } from './read-release-file.ts'
import { type Manifest, type Pointer, releaseFiles, toCombinationKey } from './release.ts'
import type { Rollout } from './rollout.ts'
import { digestSubject } from './select-document.ts'
import { type PublicKey, renderSigned, type SigningKey } from './signed-line.ts'

/** The folder and the keys of a publisher, and the time of a change. */
export interface ReleasePublisher {
  readonly directory: string
  readonly key: SigningKey
  /** Accepted keys for existing signatures, besides {@link key}, while a key is being replaced. */
  readonly otherKeys: readonly PublicKey[]
  /** Epoch milliseconds. */
  readonly now: number
}

/** The state of a folder after a change. */
export interface PublishedState {
  readonly pointer: Pointer
  readonly manifest: Manifest
}

/**
 * Publishes a release for its pilot, or the first release for everybody. Documents are written first, then the manifest, then the pointer:
 * a concurrent reader gets the state before or after, even if this process is killed or the disk is full.
 * @throws {HelperError} `refused` while an earlier release has not reached everybody, or if nothing has changed.
 */
export async function publishRelease(publisher: ReleasePublisher, content: RolloutContent): Promise<PublishedState> {
  return changeFolder(publisher, async (open) => {
    if (open) refuseUnfinished(open, publisher.directory)
    const manifest = createManifest(publisher, content, open)
    if (open && isSameContent(manifest, open.current))
      throw new HelperError(
        'refused',
        `release ${open.current.manifest.counter} has the same documents for the same people`,
        'change a document or a group before you publish again',
      )
    await writeDocuments(publisher.directory, content.documents)
    const text = renderSigned(manifest, publisher.key)
    const digest = digestFile(text)
    await writeFileIn(publisher.directory, releaseFiles.manifest(digest), text)
    const wave = open ? 0 : manifest.waves.length
    const pointer = await writePointer(publisher, open, {
      manifest: digest,
      releases: manifest.counter,
      wave,
      state: 'advancing',
    })
    return { pointer, manifest }
  })
}

/** The documents of a rollout without errors. */
interface RolloutContent {
  readonly rollout: Rollout
  readonly documents: readonly BuiltDocument[]
}

/**
 * Gives the current release to one more wave.
 * @throws {HelperError} `refused` for a wave that has it, and for a halted release unless `isResumed` is set; `usage` for an unknown wave.
 */
export async function promoteRelease(
  publisher: ReleasePublisher,
  promotion: { readonly wave: number; readonly isResumed: boolean },
): Promise<PublishedState> {
  return changePointer(publisher, (open, directory) => choosePromotion(open, { ...promotion, directory }))
}

/**
 * Stops giving the current release to people who do not have it yet.
 * @throws {HelperError} `refused` if everybody has it.
 */
export async function haltRelease(publisher: ReleasePublisher): Promise<PublishedState> {
  return changePointer(publisher, chooseHalt)
}

/**
 * Makes the release before the current one the release for everybody.
 * @throws {HelperError} `refused` if there is none.
 */
export async function revertRelease(publisher: ReleasePublisher): Promise<PublishedState> {
  return changeFolder(publisher, async (open) => {
    const previous = requirePrevious(requireOpen(publisher, open), publisher.directory)
    const { manifest } = await readRelease(publisher.directory, listKeys(publisher), previous)
    const pointer = await writePointer(publisher, open, {
      manifest: previous,
      wave: manifest.waves.length,
      state: 'advancing',
    })
    return { pointer, manifest }
  })
}

async function changePointer(
  publisher: ReleasePublisher,
  choose: (open: OpenRelease, directory: string) => PointerChange,
): Promise<PublishedState> {
  return changeFolder(publisher, async (found) => {
    const open = requireOpen(publisher, found)
    const pointer = await writePointer(publisher, open, choose(open, publisher.directory))
    return { pointer, manifest: open.current.manifest }
  })
}

function requireOpen({ directory }: ReleasePublisher, open: OpenRelease | undefined): OpenRelease {
  if (open) return open
  throw new HelperError(
    'not-configured',
    `there is no release in ${directory}`,
    `publish one: ${renderPublish(directory)}`,
  )
}

function listKeys({ key, otherKeys }: ReleasePublisher): readonly PublicKey[] {
  return [key, ...otherKeys]
}

/** The name of the lock in a release folder. Readers ignore it, and copies do not need it. */
const lockFile = '.lock'

/** Runs a change of a release folder while no other command changes it; `undefined` means a folder without a release. */
async function changeFolder<T>(
  publisher: ReleasePublisher,
  work: (open: OpenRelease | undefined) => Promise<T>,
): Promise<T> {
  const lock = await openFolderLock(publisher)
  try {
    return await work(await openIfPresent(publisher))
  } finally {
    await lock.release()
  }
}

/** Creates the folder, and acquires its lock. Only failures of these two steps are reported as failures of the lock. */
async function openFolderLock({ directory }: ReleasePublisher): Promise<FileLock> {
  const path = join(directory, lockFile)
  try {
    await createDirectory(join(directory, 'documents'), 0o777)
    await createDirectory(join(directory, 'manifests'), 0o777)
    const lock = await openLock(path)
    if (await lock.tryAcquire()) return lock
    await lock.release()
  } catch (error) {
    if (error instanceof UnsafeCacheError)
      throw new HelperError(
        'not-configured',
        `${directory} cannot be locked: ${error.message}`,
        'publish as the user to whom the folder belongs',
      )
    throw toWriteFailure(path, error)
  }
  throw new HelperError('unavailable', `another command is changing ${directory}`, 'try again when it has ended')
}

async function openIfPresent(publisher: ReleasePublisher): Promise<OpenRelease | undefined> {
  try {
    return await openRelease(publisher.directory, listKeys(publisher))
  } catch (error) {
    if (
      error instanceof ReleaseError &&
      error.code === 'missing' &&
      (await readStatusIfPresent(publisher, releaseFiles.pointer)) === undefined
    ) {
      await refuseLost(publisher)
      return undefined
    }
    throw error
  }
}

/**
 * Reads the status of a file; `undefined` for a missing one.
 * @throws {ReleaseError} if the system does not tell whether the file exists.
 */
function readStatusIfPresent({ directory }: ReleasePublisher, name: string): Promise<Stats | undefined> {
  return attemptUnlessMissing(stat(join(directory, name))).catch((cause) => {
    throw toReadError(directory, name, cause)
  })
}

/** Refuses a folder that has lost its pointer: a new pointer would start with a low serial, which servers refuse. */
async function refuseLost({ directory }: ReleasePublisher): Promise<void> {
  const manifests = await readdir(join(directory, 'manifests')).catch((cause) => {
    throw toReadError(directory, 'manifests', cause)
  })
  const published = manifests.filter((name) => /^[0-9a-f]{64}\.json$/.test(name))
  // An interrupted first release leaves one manifest without a pointer.
  if (published.length <= 1) return
  throw new HelperError(
    'refused',
    `${directory} has ${renderCounted(published.length, 'release')} and no ${releaseFiles.pointer}`,
    'restore that file from your copy of the folder; without it, servers would refuse the next release as an older one',
  )
}

function createManifest(
  { now }: ReleasePublisher,
  { rollout, documents }: RolloutContent,
  open: OpenRelease | undefined,
): Manifest {
  const counter = (open?.pointer.releases ?? 0) + 1
  const previous = open?.current.digest
  const { others, subject, waves } = rollout
  const groups = rollout.groups.map(({ overlays, ...group }) => group)
  const combinations = documents.map((document) => ({ groups: [...document.groups], document: document.digest }))
  const content = { previous, subject, others, groups, waves, combinations }
  const id = `${counter}-${digestFile(JSON.stringify(content)).slice(0, 12)}`
  return {
    type: 'bootstrap-manifest',
    format: 1,
    id,
    counter,
    publishedAt: new Date(now).toISOString(),
    ...content,
    pilot: rollout.pilot.map((person) => digestSubject(id, person)),
  }
}

/** Returns whether a release gives everybody the same documents as another; waves and pilot do not matter. */
function isSameContent(
  { groups, combinations, others, subject }: Manifest,
  { manifest, documents }: LoadedRelease,
): boolean {
  if (others !== manifest.others || subject !== manifest.subject) return false
  if (JSON.stringify(groups) !== JSON.stringify(manifest.groups) || combinations.length !== documents.size) return false
  return combinations.every((each) => documents.get(toCombinationKey(each.groups))?.digest === each.document)
}

async function writeDocuments(directory: string, documents: readonly BuiltDocument[]): Promise<void> {
  for (const { digest, text } of new Map(documents.map((document) => [document.digest, document])).values())
    await writeFileIn(directory, releaseFiles.document(digest), text)
}

async function writePointer(
  publisher: ReleasePublisher,
  open: OpenRelease | undefined,
  change: ChangedPointer,
): Promise<Pointer> {
  const pointer = withPointerChange(open?.pointer, change, publisher.now)
  await writeFileIn(publisher.directory, releaseFiles.pointer, renderSigned(pointer, publisher.key))
  return pointer
}

/**
 * Writes a file under another name and renames it, so that a file with this name is always complete. Everybody may read it, because it
 * contains no secret.
 */
async function writeFileIn(directory: string, name: string, text: string): Promise<void> {
  const path = join(directory, name)
  try {
    await writeDurably(path, text, join(directory, draftFile), 0o644)
  } catch (error) {
    throw toWriteFailure(path, error)
  }
}

/** The file that is being written; the rest of a killed process is overwritten. */
const draftFile = '.draft'
