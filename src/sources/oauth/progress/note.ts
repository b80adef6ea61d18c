import { open, rename, rm } from 'node:fs/promises'
import { exitStatus, type FailureKind, HelperError } from '../../../runtime/failure.ts'
import { parseObject } from '../../../runtime/parse-object.ts'
import { readCacheFile } from '../../../runtime/private/read-cache-file.ts'
import type { SignInFiles } from './sign-in-files.ts'

/** What the runs that wait are told of a sign-in. Times are milliseconds since the epoch. It holds no secret. */
export interface SignInNote {
  /** The process that signs in. */
  readonly pid: number
  readonly since: number
  /** From when on there is something to show. */
  readonly shown?: ShownPrompt | undefined
  /** How it ended: without a `failure` the person is signed in. */
  readonly ended?: { readonly at: number; readonly failure?: HelperError | undefined } | undefined
}

/** What a person sees of a sign-in. */
export interface ShownPrompt {
  readonly address: string
  readonly userCode?: string | undefined
  /** Whether a browser is opened at the address, or the person has to open one. */
  readonly opens: boolean
  /** When one was, last. */
  readonly openedAt?: number | undefined
}

/** A note is of use for a while only; the sweep of the cache removes it by `expiresAt`. */
const keptMs = 24 * 3_600_000

/** A note as the text of its file. */
export function renderNote({ ended, ...note }: SignInNote): string {
  const { failure, at } = ended ?? {}
  const words = failure && { kind: failure.kind, message: failure.message, hint: failure.hint }
  return JSON.stringify({ ...note, ended: ended && { at, failure: words }, expiresAt: note.since + keptMs })
}

/** Reads a note; `undefined` for anything else. */
export function parseNote(text: string): SignInNote | undefined {
  const { pid, since, shown, ended } = parseObject(text) ?? {}
  if (typeof pid !== 'number' || typeof since !== 'number') return undefined
  return { pid, since, shown: parseShown(shown), ended: parseEnded(ended) }
}

function parseShown(value: unknown): ShownPrompt | undefined {
  const { address, userCode, opens, openedAt } = (value ?? {}) as Record<string, unknown> // an object of whatever shape
  if (typeof address !== 'string') return undefined
  return {
    address,
    userCode: typeof userCode === 'string' ? userCode : undefined,
    opens: opens === true,
    openedAt: typeof openedAt === 'number' ? openedAt : undefined,
  }
}

function parseEnded(value: unknown): SignInNote['ended'] {
  const { at, failure } = (value ?? {}) as Record<string, unknown> // an object of whatever shape
  return typeof at === 'number' ? { at, failure: parseFailure(failure) } : undefined
}

function parseFailure(value: unknown): HelperError | undefined {
  const { kind, message, hint } = (value ?? {}) as Record<string, unknown> // an object of whatever shape
  if (typeof kind !== 'string' || !Object.hasOwn(exitStatus, kind)) return undefined
  return new HelperError(kind as FailureKind, String(message), String(hint)) // a key of the table
}

/** Whether a sign-in ended after a moment. An end in the future was written by a wrong clock, and counts for nothing. */
export function isEndedAfter({ ended }: SignInNote, after: number, now: number): boolean {
  return ended !== undefined && ended.at > after && ended.at <= now
}

/** Reads the note of a sign-in; `undefined` where there is none, or another user could have written it. */
export async function readNote({ note }: SignInFiles): Promise<SignInNote | undefined> {
  try {
    return parseNote(await readCacheFile(note))
  } catch {
    return undefined
  }
}

/**
 * Writes it beside its target and renames it, so that a reader sees the old note or the new one. Only for the holder of the lock.
 * @throws the system's error, for example `ENOSPC`.
 */
export async function writeNote({ note: path, draft }: SignInFiles, note: SignInNote): Promise<void> {
  await rm(draft, { force: true })
  try {
    const file = await open(draft, 'wx', 0o600)
    await file.writeFile(renderNote(note)).finally(() => file.close())
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
