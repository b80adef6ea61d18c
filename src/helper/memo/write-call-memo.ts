import { open, rename, rm } from 'node:fs/promises'
import { toHeaderRules } from '../../contract/client-headers.ts'
import { isLoaded } from '../../contract/output-format.ts'
import { toSuspicion } from '../../contract/refresh.ts'
import { readLinkStatus } from '../../runtime/disk.ts'
import { refuseSharedDirectory } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import { vendor } from '../../vendor.ts'
import { version } from '../../version.ts'
import { type EntryLocation, listCacheFiles, toCacheFilePath } from '../cache/cache-files.ts'
import type { ServedToken, TokenRequest } from '../cache/store.ts'
import type { Plan } from '../define-helper.ts'
import type { CommonOptions } from '../options/every-helper-options.ts'
import type { ResolvedOption } from '../options/option-files.ts'
import { listArgumentPositions } from '../options/option-value.ts'
import { type ResolvedOptions, toValues } from '../options/resolve-options.ts'
import { hasOutcomes } from '../record/call-record.ts'
import { type CallMemo, type HeaderOrigin, memoLifeMs, renderMemo } from './call-memo.ts'
import type { ObservedCall, ObservedReads } from './observed-call.ts'

/** The recorded reads of a call, and the location of the memo for the next call. */
export interface Remembering {
  readonly observed: ObservedCall
  readonly location: EntryLocation
}

/**
 * Writes the memo of a call that was served from the cache, so that the next call finds the same entry. A call that does more than print a
 * token, such as writing a log, gets no memo.
 */
export async function writeCallMemo(
  host: Pick<Host, 'argv' | 'clock'>,
  resolved: ResolvedOptions,
  printed: PrintedCall,
  { observed, location }: Remembering,
): Promise<void> {
  const observations = observed.find()
  const memo = observations && toMemo(host, resolved, printed, observations)
  if (memo) await writeMemoFile(location, memo)
}

/** A call that has printed a token from the cache on disk. */
interface PrintedCall {
  readonly request: TokenRequest
  readonly plan: Plan
  readonly served: ServedToken
}

const nowhere = { from: 'nowhere' } as const

function toMemo(
  { argv, clock }: Pick<Host, 'argv' | 'clock'>,
  resolved: ResolvedOptions,
  { request, plan, served }: PrintedCall,
  observations: ObservedReads,
): CallMemo | undefined {
  const { format, ...options } = toValues<CommonOptions>(resolved)
  const header = resolved.get('header')
  const headers = options['no-headers'] ? nowhere : header && findHeaderOrigin(header, argv)
  const isPlain = options['log-file'] === undefined && !isLoaded(format)
  if (!headers || !isPlain) return undefined
  const { clientTtlSec, renewEarly, notBefore } = request
  const made = clock.now()
  const times = { made, expiresAt: made + memoLifeMs }
  const limits = {
    clientTtlSec,
    renewEarly,
    suspicion: toSuspicion(options),
    clientTimeoutSec: options['client-timeout'],
    notBefore,
  }
  const outcome = hasOutcomes(resolved)
    ? { helper: request.program, version, format, source: plan.sourceKind }
    : undefined
  return {
    ...times,
    ...observations,
    ...limits,
    key: request.key,
    minted: request.watched && served.minted,
    headers,
    output: { format, rules: toHeaderRules(options['allow-header']) },
    outcome,
    contextVariable: vendor.contextVariable,
  }
}

/** Finds the place of the option `header`; `undefined` if its value cannot be read from there again. */
function findHeaderOrigin({ value, origin }: ResolvedOption, argv: readonly string[]): HeaderOrigin | undefined {
  const texts = (value ?? []) as readonly string[] // the option's kind is a list
  if (texts.length === 0) return { from: 'arguments', places: [] }
  if (origin.from === 'file') return { from: 'file', path: origin.path }
  if (origin.from !== 'argument') return undefined
  const places = listArgumentPositions(argv, 'header')
  return places.length === texts.length ? { from: 'arguments', places } : undefined
}

/**
 * The shortest time between two memos, in milliseconds. Without it, calls with alternating variables would replace each other's memo every
 * time.
 */
const pauseMs = 60_000

/** The longest memo, in characters. A call reads few names. Our decision. */
const longestMemo = 16_384

/** The most memos in a directory. A script that computes an argument, such as a date, has other arguments in each call. Our decision. */
const maxMemos = 128

/**
 * Writes a memo beside its target and renames it. An error only makes the next call slower, so none is reported. If two calls write at
 * once, the second finds the first one's draft and leaves it, because both memos are equal.
 */
async function writeMemoFile(location: EntryLocation, memo: CallMemo): Promise<void> {
  const text = renderMemo(memo, location)
  const path = toCacheFilePath(location, 'memo')
  if (text.length > longestMemo || (await isRecent(path, memo.made))) return
  const draft = toCacheFilePath(location, 'memo-draft')
  try {
    await refuseSharedDirectory(location.directory)
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text).finally(() => file.close())
      await rename(draft, path)
      await removeExcess(location)
    } catch {
      await rm(draft, { force: true })
    }
  } catch {
    // Without a memo the next call reads everything again.
  }
}

async function isRecent(path: string, now: number): Promise<boolean> {
  const written = await readLinkStatus(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.NEGATIVE_INFINITY,
  )
  return written <= now && now - written < pauseMs
}

/** Removes any other memos, if the directory has too many. */
async function removeExcess({ directory, key }: EntryLocation): Promise<void> {
  const others = (await listCacheFiles(directory)).filter(
    ({ kind, location }) => kind === 'memo' && location.key !== key,
  )
  for (const { location } of others.slice(maxMemos - 1)) await rm(toCacheFilePath(location, 'memo'), { force: true })
}
