// Holds the file of hand-outs: appends and parses its lines; `record-hand-out.ts` decides what is appended.

import type { HelperContext } from '../../contract/context.ts'
import type { HandOut, HandOutKind, RefreshCause } from '../../contract/refresh.ts'
import { appendToOwnFile } from '../../outcomes/spool.ts'
import { type Host, observeParentProcessId } from '../../runtime/host.ts'
import { type EntryLocation, toCacheFilePath } from './cache-files.ts'

/**
 * One token given to one process of the client. `digest` is absent for a token whose expiry is not known, because nothing about such a
 * token is written to disk.
 */
export interface TokenHandOut extends HandOut {
  readonly digest: string | undefined
}

/**
 * The longest file of hand-outs, in bytes: over a thousand lines. A longer file takes no further line, so a process that comes later counts
 * as one that has no token yet.
 */
export const longestNote = 96 * 1024

/**
 * Appends one line for a token that the client's process is given. The line goes into one write, so that lines of parallel runs do not mix.
 * The file is not read, because a call that is served from the cache waits for this function.
 * @param handOut A promise lets the file open while the value is computed; `undefined` appends nothing.
 * @throws the system's error, or `UnsafeCacheError`.
 */
export async function appendHandOut(
  location: EntryLocation,
  { now, bootedAt = 0 }: Host['clock'],
  handOut: Handed | Promise<Handed | undefined>,
): Promise<void> {
  await appendToOwnFile(toCacheFilePath(location, 'served'), async (size) => {
    const handed = await handOut
    const line = handed && renderHandOut({ ...handed, process: observeParentProcessId(), at: now(), bootedAt })
    return line !== undefined && size + line.length <= longestNote ? line : ''
  })
}

type Handed = Pick<TokenHandOut, 'kind' | 'digest'>

/** Returns the kind of hand-out that a client in this context gets. @param cause The cause of a refresh. */
export function toHandOutKind(context: HelperContext | undefined, cause: RefreshCause = 'expired'): HandOutKind {
  if (context === 'mid-session-refresh') return cause
  return context === 'background' || context === 'setup-test' ? 'probed' : 'given'
}

/**
 * Renders a hand-out as one line. The line break comes first, so that a line which a full disk has cut off does not run into the next one.
 */
export function renderHandOut({ kind, process, at, bootedAt, digest = '-' }: TokenHandOut): string {
  return `\n${kind} ${process} ${Math.round(at)} ${Math.round(bootedAt)} ${digest}`
}

/** Parses the lines of the file, and skips a line that is not a hand-out, such as one that a full disk has cut off. */
export function parseHandOuts(text: string): TokenHandOut[] {
  return [...text.matchAll(linePattern)].map(([, kind, process, at, bootedAt, digest]) => ({
    kind: kind as HandOutKind, // one of the pattern's words
    process: Number(process),
    at: Number(at),
    bootedAt: Number(bootedAt),
    digest: digest === '-' ? undefined : digest,
  }))
}

const linePattern = /^(given|probed|refused|expired) (\d{1,10}) (\d{1,15}) (\d{1,15}) (-|[0-9a-f]{16})$/gm
