import { hash, randomBytes } from 'node:crypto'
import { constants, linkSync, readFileSync, renameSync, type Stats } from 'node:fs'
import { access, type FileHandle, open, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { detectContainer, maxBytes } from '../../../config/read/container.ts'
import { parseDocument } from '../../../config/read/read-document.ts'
import { findErrorCode, HelperError } from '../../../runtime/failure.ts'
import { toWriteFailure, writeNamesToDisk } from '../../../runtime/files/replace-file.ts'
import { describeReadFailure, readNamedFile } from '../../../runtime/named-file.ts'
import { quoteForHint } from '../../../runtime/text/quote.ts'
import { decodeUtf8 } from '../../../runtime/values/json-text.ts'
import { programName } from '../../../version.ts'
import type { Destination } from '../write-answer.ts'
import { absentDigest, type FileContent, type Saved } from './page-data.ts'

/**
 * Reads the edited file; a file that does not exist has no text.
 * @throws {HelperError} `usage` for a file that cannot be edited as JSON text.
 */
export async function readEditedFile(path: string): Promise<FileContent> {
  try {
    const status = await stat(path)
    if (!status.isFile()) throw Object.assign(new Error('not a file'), { code: 'ENOTFILE' })
    return parseContent(path, await readNamedFile(path, { longestBytes: maxBytes }))
  } catch (cause) {
    if (cause instanceof HelperError) throw cause
    const failure = cause as NodeJS.ErrnoException // a system error
    if (failure.code === 'ENOENT') return { text: '', digest: absentDigest }
    throw new HelperError('usage', `${path} ${describeReadFailure(failure)}`, 'name the file of a document', { cause })
  }
}

function parseContent(path: string, bytes: Uint8Array): FileContent {
  const foreign = parseDocument(bytes, { path }).findings.find(({ code }) => code === 'no-document')
  if (foreign) throw new HelperError('usage', `${path}: ${foreign.message}`, foreign.hint)
  const container = detectContainer(bytes)
  if (container !== 'json') {
    const what = container === 'oma-uri' ? 'a profile of OMA-URI settings' : 'a property list or a registry file'
    const hint = `write it as JSON first: ${programName} config convert ${quoteForHint(path)} --to nested --out ${quoteForHint(`${path}.json`)}`
    throw new HelperError('usage', `${path} is ${what}, not ${container === 'oma-uri' ? 'a document' : 'JSON'}`, hint)
  }
  const decoded = decodeUtf8(bytes)
  if ('problem' in decoded) throw new HelperError('usage', `${path}: ${decoded.message}`, decoded.hint)
  return { text: decoded.text, digest: hash('sha256', bytes) }
}

/** The text to write, and the expected content of the file. */
interface Saving {
  readonly text: string
  /** The digest of the content from which the text was made. */
  readonly base: string
  readonly readers: Destination['readers']
}

/**
 * Writes the text if the file still has the expected content; otherwise returns the present content. The text is written to another file,
 * which is renamed, so that a reader sees the old content or the new one. A link stays, and the file behind it is replaced.
 * @throws {HelperError} if the file cannot be replaced as it is: read-only, or of another owner.
 */
export async function writeEditedFile(path: string, saving: Saving): Promise<Saved> {
  const target = await realpath(path).catch(() => path) // the file does not exist yet
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    // An inaccessible file counts as new; then writing it fails with the system's reason.
    const status = await stat(target).catch(() => undefined)
    if (status) await access(target, constants.W_OK)
    await writeDraft(draft, { ...saving, status })
    if (!writeIfUnchanged(draft, target, saving.base)) return { isSaved: false, file: await readEditedFile(path) }
    await writeNamesToDisk(dirname(target))
    return { isSaved: true, file: { text: saving.text, digest: hash('sha256', Buffer.from(saving.text)) } }
  } catch (error) {
    throw toWriteFailure(target, error)
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeDraft(
  path: string,
  { text, readers, status }: Saving & { status: Stats | undefined },
): Promise<void> {
  const isPrivate = status !== undefined || readers === 'owner'
  const file = await open(path, 'wx', isPrivate ? 0o600 : 0o666)
  try {
    await file.writeFile(text)
    if (status) await setOwner(file, status)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Compares and replaces synchronously, so that other programs have almost no time in between. */
function writeIfUnchanged(draft: string, target: string, base: string): boolean {
  if (readDigest(target) !== base) return false
  if (base !== absentDigest) {
    renameSync(draft, target)
    return true
  }
  try {
    linkSync(draft, target)
    return true
  } catch (error) {
    // Another program has just created it.
    if (findErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

function readDigest(path: string): string {
  try {
    return hash('sha256', readFileSync(path))
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return absentDigest
    throw error
  }
}

/** @throws {HelperError} `refused` if the file would get another owner or group. */
async function setOwner(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const draftStatus = await file.stat()
  try {
    if (draftStatus.uid !== uid || draftStatus.gid !== gid) await file.chown(uid, gid)
    await file.chmod(mode & 0o7777)
  } catch (cause) {
    const what = 'the file belongs to another user or group, and a new one would be yours'
    throw new HelperError('refused', what, 'run this as its owner, or edit a copy', { cause })
  }
}
