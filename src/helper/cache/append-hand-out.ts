import type { ClientContext } from '../../contract/context.ts'
import type { HandOut, HandOutKind, RefreshCause } from '../../contract/refresh.ts'
import { appendToOwnFile } from '../../outcomes/spool.ts'
import { findParentProcessId, type Host } from '../../runtime/host.ts'
import { type EntryLocation, toCacheFilePath } from './cache-files.ts'

/** A hand-out, and the digest of its token; `undefined` for a token without a known end, because nothing of that is written to disk. */
export interface TokenHandOut extends HandOut {
  readonly digest: string | undefined
}

/** In bytes, over a thousand hand-outs. Beyond it none is noted: a process that is not noted counts as one that was never seen. */
export const longestNote = 96 * 1024

/**
 * Notes that the client's process is handed a token: one line, and one write, so that lines of parallel runs do not mix. Nothing is
 * read, because a call that is served from the cache waits for it.
 * @param handOut Where it is a promise, the file is opened meanwhile; `undefined` where nothing is handed out after all.
 * @throws the system's error, or `UnsafeCacheError`.
 */
export async function appendHandOut(
  location: EntryLocation,
  { now, bootedAt = 0 }: Host['clock'],
  handOut: Handed | Promise<Handed | undefined>,
): Promise<void> {
  await appendToOwnFile(toCacheFilePath(location, 'served'), async (size) => {
    const handed = await handOut
    const line = handed && renderHandOut({ ...handed, process: findParentProcessId(), at: now(), bootedAt })
    return line !== undefined && size + line.length <= longestNote ? line : ''
  })
}

type Handed = Pick<TokenHandOut, 'kind' | 'digest'>

/** How a token comes to a client that names this context. @param cause The cause of a refresh. */
export function toHandOutKind(context: ClientContext, cause: RefreshCause): HandOutKind {
  if (context === 'mid-session-refresh') return cause
  return context === 'background' || context === 'setup-test' ? 'probed' : 'given'
}

/** A hand-out as one line. It begins with the line break, so that one that a full disk has cut off ends there. */
export function renderHandOut({ kind, process, at, bootedAt, digest = '-' }: TokenHandOut): string {
  return `\n${kind} ${process} ${Math.round(at)} ${Math.round(bootedAt)} ${digest}`
}

/** A line that is not a hand-out, such as one that was cut off, is skipped. */
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
