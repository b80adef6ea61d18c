import { type FileHandle, open, stat } from 'node:fs/promises'
import { findErrorCode, HelperError } from '../../runtime/failure.ts'
import { describeLook, ownSystem } from '../../runtime/text/quote.ts'
import { describeReadError, readBoundedFile } from '../policy/read-policy-file.ts'
import { startLooking } from '../start-looking.ts'
import { parseRevocation, type Revocation, renderRevocation } from './revocation.ts'
import { RevocationList } from './revocation-list.ts'
import type { RevocationSource } from './revocations.ts'

/** The result of reading the file, which is reported when it changes. */
export type RevocationFileEvent =
  | { readonly kind: 'read'; readonly entries: number }
  /** Some lines are not usable, or the file cannot be read and the earlier entries stay in force. */
  | { readonly kind: 'problem'; readonly message: string }

/**
 * Reads entries from a file, one a line, and again when the file changes. Unusable lines are reported, and the others are used. If the file
 * cannot be read, the earlier entries stay in force.
 * @throws {HelperError} `not-configured` for a file that cannot be read at the start.
 */
export async function startFollowingRevocations(
  path: string,
  { now, observe }: RevocationFileOptions,
): Promise<RevocationSource> {
  const list = new RevocationList(now)
  let [mark, size, problem] = ['', 0n, undefined as string | undefined]

  async function look(): Promise<void> {
    const status = await examineFile(path)
    if (status.mark === mark) return
    if (status.size !== undefined && status.size < size && !(await isSettled(path, status.mark))) return
    const { unreadable } = status
    const read = unreadable === undefined ? await readEntries(path, now) : { problem: unreadable }
    mark = status.mark
    size = status.size ?? size
    problem = 'problem' in read ? read.problem : undefined
    if ('problem' in read) {
      observe({ kind: 'problem', message: `${read.problem}; the earlier entries count` })
      return
    }
    list.replace(read.list)
    observe(read.wrong === undefined ? { kind: 'read', entries: list.size } : { kind: 'problem', message: read.wrong })
  }

  await look()
  if (problem !== undefined)
    throw new HelperError(
      'not-configured',
      `the list of revocations cannot be used: ${problem}`,
      `make it, or see who may read it: ${describeLook(path, ownSystem)}`,
    )
  const looks = startLooking(look, intervalMs)
  return {
    name: path,
    list,
    problem: () => problem,
    async add(revocations) {
      list.addAll(revocations)
      await appendRevocations(path, revocations)
    },
    close: looks.close,
  }
}

interface RevocationFileOptions {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly observe: (event: RevocationFileEvent) => void
}

/** The time between two checks. */
const intervalMs = 250

/**
 * Returns whether a file that has become shorter is complete: a program may have emptied it to write it again, and its entries would be
 * lost meanwhile.
 */
async function isSettled(path: string, mark: string): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  return (await examineFile(path)).mark === mark
}

/** How long a file that has become shorter must stay unchanged before it is read. */
const settleMs = 200

/** Examines the file without reading it. Its mark differs after any change. */
async function examineFile(
  path: string,
): Promise<{ readonly mark: string; readonly size?: bigint; readonly unreadable?: string }> {
  try {
    const { mtimeNs, ctimeNs, size, ino, dev } = await stat(path, { bigint: true })
    return { mark: [mtimeNs, ctimeNs, size, ino, dev].join(), size }
  } catch (cause) {
    return { mark: `${findErrorCode(cause)}`, unreadable: describeReadError(path, cause).message }
  }
}

type ReadEntries = { readonly list: RevocationList; readonly wrong: string | undefined } | { readonly problem: string }

async function readEntries(path: string, now: () => number): Promise<ReadEntries> {
  const content = await readBoundedFile(path, 'its owner', maxBytes)
  if (!(content instanceof Uint8Array)) return { problem: content.message }
  if (content.length > maxBytes) return { problem: `${path} is larger than ${maxBytes / 1024 / 1024} MiB` }
  return parseEntries(path, Buffer.from(content).toString('utf8'), now)
}

/** The largest file: more than {@link maxRevocations} lines of the usual length. */
const maxBytes = 32 * 1024 * 1024

/** Ignores empty lines and comments, which begin with `#`. */
function parseEntries(path: string, text: string, now: () => number): ReadEntries {
  const list = new RevocationList(now)
  let wrong: string | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const entry = parseRevocation(trimmed)
    if ('problem' in entry) wrong ??= `${path}, line ${index + 1}: ${entry.problem}; the other lines count`
    else if (list.add(entry) === 'full') return { problem: `${path} has more than ${list.size} entries` }
  }
  return { list, wrong }
}

/**
 * Appends entries to the file with one write, and waits until they are on the disk. A missing file is created with access for its owner
 * alone.
 * @throws {HelperError} `refused` if the system does not write it.
 */
export async function appendRevocations(
  path: string,
  revocations: readonly Revocation[],
  note?: string,
): Promise<void> {
  const lines = revocations.map((each) => `${renderRevocation(each, note)}\n`).join('')
  try {
    const file = await open(path, 'a+', 0o600)
    try {
      await file.appendFile(`${(await hasWholeLines(file)) ? '' : '\n'}${lines}`)
      await file.datasync()
    } finally {
      await file.close()
    }
  } catch (cause) {
    const code = findErrorCode(cause)
    const hint = `see who may write it: ${describeLook(path, ownSystem)}`
    throw new HelperError('refused', `${path} cannot be written (${code})`, hint, { cause })
  }
}

/** An editor may have saved the last line without a line break. */
async function hasWholeLines(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return true
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] === 0x0a
}
