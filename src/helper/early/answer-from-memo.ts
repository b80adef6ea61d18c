import { parseContext } from '../../contract/context.ts'
import { plainWriters } from '../../contract/formats/plain-writers.ts'
import { type Headers, mergeHeaders } from '../../contract/headers.ts'
import type { Host } from '../../runtime/host.ts'
import { appendToSpool } from '../../runtime/outcome/spool.ts'
import { readCacheFile } from '../../runtime/private/read-cache-file.ts'
import { type EntryLocation, toCacheFilePath } from '../cache/directory.ts'
import type { TokenEntry } from '../cache/entry.ts'
import { type FreshnessCriteria, isFresh, isRenewalDue } from '../cache/freshness.ts'
import { readEntry } from '../cache/read-entry.ts'
import { toHeaderTemplate } from '../call/header-facts.ts'
import { renderHeaders } from '../call/render-headers.ts'
import { type CallMemo, parseMemo } from '../memo/call-memo.ts'
import { readHeaderTexts } from '../memo/header-origin.ts'
import { isUnchanged, type SeenFile } from '../memo/seen-file.ts'
import { toSeenVariables } from '../memo/seen-variables.ts'

/** What a call prints that an earlier one has described. */
export interface RememberedAnswer {
  readonly text: string
  readonly clientTimeoutSec: number
  /** Tells operations of the call once it has printed; absent where they are not told. */
  readonly spool?: (() => Promise<void>) | undefined
}

/**
 * Answers a call by the memo of an earlier one, if everything that was read then is as it was, and the entry may be served.
 * @returns `undefined` where the call has to find out for itself, whatever the reason. It never warns.
 */
export async function answerFromMemo(host: Host, location: EntryLocation): Promise<RememberedAnswer | undefined> {
  try {
    const memo = parseMemo(await readCacheFile(toCacheFilePath(location, 'memo')))
    if (!memo || !isUsable(memo, host)) return undefined
    // Before the files are looked at: what changes after that look is not read.
    const texts = await readHeaderTexts(memo.headers, host.argv)
    const [entry, isAsItWas] = await Promise.all([readEntry({ ...location, key: memo.key }), areUnchanged(memo.files)])
    if (!entry || !isAsItWas || !mayServe(entry, memo, host)) return undefined
    const text = render(entry, texts, memo)
    return text === undefined
      ? undefined
      : { text, clientTimeoutSec: memo.clientTimeoutSec, spool: createSpooling(host, location, memo) }
  } catch {
    return undefined
  }
}

function createSpooling(
  { env, streams, clock }: Host,
  { directory }: EntryLocation,
  { outcome, names }: CallMemo,
): (() => Promise<void>) | undefined {
  if (!outcome) return undefined
  return () => {
    const context = parseContext(env[names.contextVariable], streams.attached)
    const [time, ms] = [Math.round(clock.startedAt), Math.round(clock.elapsedMs())]
    return appendToSpool(directory, { time, ...outcome, context, outcome: 'success', status: 0, ms, origin: 'cache' })
  }
}

function isUsable({ made, expiresAt, variables, names, notBefore = 0 }: CallMemo, { env, clock }: Host): boolean {
  const now = clock.now()
  // A refresh is served by rules of its own.
  if (env[names.contextVariable] === 'mid-session-refresh') return false
  if (made > now || expiresAt <= now || notBefore > now) return false
  return toSeenVariables(env, variables.names, variables.prefixes).digest === variables.digest
}

/**
 * One after the other: where a disk does not respond, one thread waits for it. The program, which then goes on without the memo, needs
 * the others: to read its options while the same disk is waited for, and to say so by its deadline.
 */
async function areUnchanged(files: readonly SeenFile[]): Promise<boolean> {
  for (const file of files) if (!(await isUnchanged(file))) return false
  return true
}

function mayServe(entry: TokenEntry, { clientTtlSec, notBefore, renewEarly }: CallMemo, { clock }: Host): boolean {
  const { startedAt, bootedAt } = clock
  const times = { now: clock.now(), startedAt, bootedAt }
  const criteria: FreshnessCriteria = { context: 'unknown', ...times, clientTtlSec, notBefore }
  return isFresh(entry, criteria) && !isRenewalDue(entry, criteria, renewEarly)
}

/** `undefined` where the output would be refused. */
function render(
  entry: TokenEntry,
  texts: readonly string[],
  { format, allowHeader, names }: CallMemo,
): string | undefined {
  const rules = { allowed: allowHeader, own: names.ownHeaders }
  const own: Headers = texts.length === 0 ? {} : renderHeaders(texts.map(toHeaderTemplate), entry.facts, rules)
  const output = { token: entry.token.reveal(), headers: mergeHeaders(entry.headers ?? {}, own) }
  const writer = plainWriters[format]
  return writer?.findProblems(output, rules).length === 0 ? writer.render(output) : undefined
}
