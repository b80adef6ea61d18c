// Folder: the processes that sign in and renew, which outlive a run, and the notes, locks and orders that they share with the runs.

import { hash } from 'node:crypto'
import { join } from 'node:path'
import { exitStatus, type FailureKind, HelperError } from '../../../runtime/failure.ts'
import { readCacheFile, writeByDraft } from '../../../runtime/files/private-files.ts'
import { parseObject, toObject } from '../../../runtime/values/json-value.ts'

/** A note about a sign-in for the runs that wait for it. Times are milliseconds since the epoch. It holds no secret. */
export interface SignInNote {
  /** The process that signs in. */
  readonly pid: number
  readonly since: number
  /**
   * The digest of the sign-in's request (`SignInRequest`), or of a renewal's caller (`digestCaller`). Absent if an older version wrote the
   * note.
   */
  readonly request?: string | undefined
  readonly way?: NotedWay | undefined
  /** For a renewal: the stage that its process waits for, in the words of that process's own message. */
  readonly stage?: string | undefined
  /** In the note of a port: the sign-in that has claimed the port (`openPortClaim`). */
  readonly claim?: PortClaimant | undefined
  /** The prompt for the person; absent until there is one. */
  readonly shown?: ShownPrompt | undefined
  /** The end of the sign-in; without a `failure`, the person is signed in. Absent while it is under way. */
  readonly ended?: { readonly at: number; readonly failure?: HelperError | undefined } | undefined
}

/** The sign-in that has claimed a port. */
export interface PortClaimant {
  /** The key of its files. */
  readonly key: string
  /** Whether a person watches the process of the sign-in, in addition to the waiting runs. */
  readonly isWatched: boolean
}

/** The way of signing in that the run has chosen: the values of the option sign-in, without `off`. */
type NotedWay = (typeof ways)[number]

const ways = ['auto', 'browser', 'device'] as const

/** The prompt of a sign-in, as a person sees it. */
export interface ShownPrompt {
  readonly address: string
  readonly userCode?: string | undefined
  /** Whether a browser is opened at the address, or the person has to open one. */
  readonly opens: boolean
  /** When a browser was last opened. */
  readonly openedAt?: number | undefined
  /** Why no browser could be started, and which program was set for it. */
  readonly unopened?: { readonly problem: string; readonly browser?: string | undefined } | undefined
}

/** Parses a note; `undefined` for another text. */
export function parseNote(text: string): SignInNote | undefined {
  const { pid, since, request, way, stage, claim, shown, ended } = parseObject(text) ?? {}
  if (typeof pid !== 'number' || typeof since !== 'number') return undefined
  return {
    pid,
    since,
    request: typeof request === 'string' ? request : undefined,
    way: ways.find((own) => own === way),
    stage: typeof stage === 'string' ? stage : undefined,
    claim: parseClaim(claim),
    shown: parseShown(shown),
    ended: parseEnded(ended),
  }
}

function parseClaim(value: unknown): PortClaimant | undefined {
  const { key, isWatched } = toObject(value)
  if (typeof key !== 'string' || !/^[0-9a-f]{40}$/.test(key)) return undefined
  return { key, isWatched: isWatched === true }
}

function parseShown(value: unknown): ShownPrompt | undefined {
  const { address, userCode, opens, openedAt, unopened } = toObject(value)
  if (typeof address !== 'string') return undefined
  return {
    address,
    userCode: typeof userCode === 'string' ? userCode : undefined,
    opens: opens === true,
    openedAt: typeof openedAt === 'number' ? openedAt : undefined,
    unopened: parseUnopened(unopened),
  }
}

function parseUnopened(value: unknown): ShownPrompt['unopened'] {
  const { problem, browser } = toObject(value)
  if (typeof problem !== 'string') return undefined
  return { problem, browser: typeof browser === 'string' ? browser : undefined }
}

function parseEnded(value: unknown): SignInNote['ended'] {
  const { at, failure } = toObject(value)
  return typeof at === 'number' ? { at, failure: parseFailure(failure) } : undefined
}

/** Converts a failure to the members that {@link parseFailure} reads. */
export function toFailureMembers({ kind, message, hint }: HelperError) {
  return { kind, message, hint }
}

/** Parses a failure from a note; `undefined` for anything else. */
export function parseFailure(value: unknown): HelperError | undefined {
  const { kind, message, hint } = toObject(value)
  if (typeof kind !== 'string' || !Object.hasOwn(exitStatus, kind)) return undefined
  return new HelperError(kind as FailureKind, String(message), String(hint)) // a key of the table
}

/** Returns whether a sign-in ended after a moment. An end in the future was written by a wrong clock, and is ignored. */
export function isEndedAfter({ ended }: SignInNote, after: number, now: number): boolean {
  return ended !== undefined && ended.at > after && ended.at <= now
}

/** Digests a flow's `request`. */
export function digestRequest(request = ''): string {
  return hash('sha256', request).slice(0, 16)
}

/** The settings with which a sign-in begins, besides its ID. A run with other settings does not wait for it. */
interface SignInRequest {
  /** A digest of the settings that decide which address is shown, and how the answer is handled. */
  readonly request: string
  readonly way: NotedWay
  /** The program that should open a browser, if one is set. */
  readonly browser: string | undefined
}

/**
 * Returns whether a sign-in that is under way differs from the one that a run would begin. `auto` and `browser` are equal if a browser was
 * opened, or should have been; if it could not be started, a run with another browser setting begins another sign-in. The note of an older
 * version has no such setting, and counts as equal.
 */
export function isOther({ request, way, shown }: SignInNote, own: SignInRequest): boolean {
  if (request === undefined || way === undefined) return false
  if (request !== own.request) return true
  const { opens = true, unopened } = shown ?? {}
  if (unopened && unopened.browser !== own.browser) return true
  const isForBrowser = way !== 'device' && own.way !== 'device' && (opens || unopened !== undefined)
  return way !== own.way && !isForBrowser
}

/** Reads the note of a sign-in; `undefined` if there is none, or another user could have written it. */
export async function readNote({ note }: SignInFiles): Promise<SignInNote | undefined> {
  try {
    return parseNote(await readCacheFile(note))
  } catch {
    return undefined
  }
}

/** Writes a note as {@link writeByDraft} does. The caller must hold the lock. */
export async function writeNote({ note: path, draft }: SignInFiles, note: SignInNote): Promise<void> {
  await writeByDraft({ path, draft }, (file) => file.writeFile(renderNote(note)))
}

/** Renders a note as the text of its file. */
function renderNote({ ended, ...note }: SignInNote): string {
  const { failure, at } = ended ?? {}
  return JSON.stringify({
    ...note,
    ended: ended && { at, failure: failure && toFailureMembers(failure) },
    expiresAt: note.since + keptMs,
  })
}

/** In milliseconds: how long a note is kept. The sweep of the cache removes it by its `expiresAt`. Our decision. */
const keptMs = 24 * 3_600_000

/** The files of one sign-in, in the directory of cached tokens and by its rules: for this user alone, and never through a link. */
export interface SignInFiles {
  readonly directory: string
  /** The key by which another file names these files. */
  readonly key: string
  /** The lock of the process that signs in. */
  readonly lock: string
  /** The lock of the process that starts the sign-in's process. */
  readonly start: string
  /** The note of the process that signs in, for the waiting runs. */
  readonly note: string
  /** The note while it is being written. */
  readonly draft: string
  /** A file that the waiting runs touch. */
  readonly waiting: string
  /** Asks the process that signs in to end. */
  readonly stop: string
}

/** The kinds of work that only one process at a time does: a sign-in, its renewal, or the use of a port. */
type Work = 'sign-in' | 'renewal' | 'port'

/** Locates the files of the work with this ID, whose digest is in their names. */
export function locateSignInFiles(directory: string, id: string, work: Work = 'sign-in'): SignInFiles {
  return locateByKey(directory, hash('sha256', id).slice(0, 40), work)
}

/** Locates the files with this key. @param work The files of a renewal are in the same directory as those of a sign-in. */
export function locateByKey(directory: string, key: string, work: Work = 'sign-in'): SignInFiles {
  const at = (name: string) => join(directory, name)
  return {
    directory,
    key,
    lock: at(`${work}-${key}.lock`),
    start: at(`${work}-start-${key}.lock`),
    note: at(`${work}-${key}.signin`),
    draft: at(`${work}-${key}.tmp`),
    waiting: at(`${work}-${key}.waiting`),
    stop: at(`${work}-${key}.stop`),
  }
}
