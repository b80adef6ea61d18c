import { type ClientContext, findClientContext, parseContext } from '../../contract/context.ts'
import { type Headers, mergeHeaders } from '../../contract/headers.ts'
import { patienceMs } from '../../contract/limits.ts'
import { toRenderedOutput } from '../../contract/output-format.ts'
import { isSuspected, type Suspicion } from '../../contract/refresh.ts'
import { appendToSpool } from '../../outcomes/spool.ts'
import { digestFingerprint } from '../../runtime/files/fingerprint.ts'
import { locateCacheDirectory, readCacheFile } from '../../runtime/files/private-files.ts'
import { createSystemHost, endProcess, type Host, observeParentProcessId } from '../../runtime/host.ts'
import { isFoundUnchanged } from '../../runtime/program/find-program-file.ts'
import { expandHeaders, toHeaderTemplate } from '../../runtime/tokens/header-facts.ts'
import { waitAtMost } from '../../runtime/wait-at-most.ts'
import { appendHandOut, longestNote, parseHandOuts, toHandOutKind } from '../cache/append-hand-out.ts'
import { type EntryLocation, toCacheFilePath } from '../cache/cache-files.ts'
import { readEntry, type TokenEntry } from '../cache/entry.ts'
import { type FreshnessCriteria, isFresh, isRenewalDue } from '../cache/freshness.ts'
import { type CallMemo, memoFormat, parseMemo, readHeaderTexts } from './call-memo.ts'
import { isUnchanged, toSeenVariables } from './seen-file.ts'

/** Answers a call from its memo, or loads the rest of the program. A helper's program begins here. */
export async function answerOrLoad(
  { program, build, argv }: ProgramBuild & Pick<Host, 'argv'>,
  load: (beginning: Beginning) => void,
): Promise<void> {
  const host = { ...createSystemHost(), argv }
  const memo = locateMemo(host, { program, build })
  const answer = await waitAtMost(answerFromMemo(host, memo), patienceMs)
  if (!answer) return load({ memo })
  const written = host.streams.stdout(answer.text)
  if (await waitAtMost(hasSucceeded(written), patienceMs)) {
    await waitAtMost(answer.recorded, patienceMs)
    if (answer.spool) await waitAtMost(hasSucceeded(answer.spool()), patienceMs)
    return endProcess(0, 'finished')
  }
  const { clientTimeoutSec, spool } = answer
  load({ memo, printing: { written, clientTimeoutSec, spool } })
}

function hasSucceeded(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}

/** The output of a call that is answered from a memo. */
interface RememberedAnswer {
  readonly text: string
  readonly clientTimeoutSec: number
  /** Resolves when the hand-out to the client's process has been recorded, or cannot be. */
  readonly recorded: Promise<void>
  /** Appends the call's outcome to the spool after the output; absent if no destination for outcomes is set. */
  readonly spool?: (() => Promise<void>) | undefined
}

/**
 * Answers a call from the memo of an earlier call, if every file and variable that was read then is unchanged and the entry may be served.
 * @returns `undefined` if the call has to read everything itself, for whatever reason. It never warns.
 */
export async function answerFromMemo(host: Host, location: EntryLocation): Promise<RememberedAnswer | undefined> {
  try {
    const memo = parseMemo(await readCacheFile(toCacheFilePath(location, 'memo')), location)
    if (!memo || !isUsable(memo, host)) return undefined
    const finding = findText(host, location, memo)
    // Without this record, a refusal of the token is detected later; the token itself is good.
    const recorded = recordHandOut(host, { ...location, key: memo.key }, { memo, finding }).catch(() => undefined)
    const found = await finding
    const { clientTimeoutSec } = memo
    return found && { text: found.text, clientTimeoutSec, recorded, spool: createSpooling(host, location, memo) }
  } catch {
    return undefined
  }
}

/** The text for stdout, and the cache entry with its token. */
interface FoundText {
  readonly text: string
  readonly entry: TokenEntry
}

function isUsable(
  { made, expiresAt, variables, contextVariable, notBefore = 0 }: CallMemo,
  { env, clock }: Host,
): boolean {
  const now = clock.now()
  // A refresh follows other rules, which only the whole program has.
  if (env[contextVariable] === 'mid-session-refresh') return false
  if (made > now || expiresAt <= now || notBefore > now) return false
  return toSeenVariables(env, variables.names, variables.lists).digest === variables.digest
}

async function findText(host: Host, location: EntryLocation, memo: CallMemo): Promise<FoundText | undefined> {
  // Read before the files are compared, so that a change after the comparison is not read.
  const texts = await readHeaderTexts(memo.headers, host.argv)
  const [entry, isAsItWas] = await Promise.all([readEntry({ ...location, key: memo.key }), isAllUnchanged(memo, host)])
  if (!entry || !isAsItWas || !mayServe(entry, memo, host)) return undefined
  if (
    memo.suspicion &&
    !findContext(host, memo) &&
    (await isDoubted(entry, memo.suspicion, host, { ...location, key: memo.key }))
  )
    return undefined
  const text = findOutput(entry, texts, { ...memo, now: host.clock.now() })
  return text === undefined ? undefined : { text, entry }
}

/** Appends the record that `cache/record-hand-out.ts` makes of a hand-out, and opens its file while the token is still sought. */
async function recordHandOut(
  host: Host,
  location: EntryLocation,
  { memo, finding }: { readonly memo: CallMemo; readonly finding: Promise<FoundText | undefined> },
): Promise<void> {
  const context = findContext(host, memo)
  if (!context && !memo.suspicion) return
  const kind = toHandOutKind(context)
  const handOut = finding.then(
    (found) => found && { kind, digest: found.entry.digest },
    () => undefined,
  )
  await appendHandOut(location, host.clock, handOut)
}

function createSpooling(
  { env, streams, clock }: Host,
  { directory }: EntryLocation,
  { outcome, contextVariable }: CallMemo,
): (() => Promise<void>) | undefined {
  if (!outcome) return undefined
  return () => {
    const context = parseContext(env[contextVariable], streams.attached)
    const [time, ms] = [Math.round(clock.startedAt), Math.round(clock.elapsedMs())]
    return appendToSpool(directory, { time, ...outcome, context, outcome: 'success', status: 0, ms, origin: 'cache' })
  }
}

/**
 * Compares the files one after the other, so that a disk that does not respond blocks only one thread of the pool. The program then
 * continues without the memo, and needs the other threads to read its options and to report by its deadline.
 */
async function isAllUnchanged({ files, programs }: CallMemo, host: Host): Promise<boolean> {
  for (const file of files) if (!(await isUnchanged(file))) return false
  for (const program of programs) if (!(await isFoundUnchanged(program, host))) return false
  return true
}

function mayServe(
  entry: TokenEntry,
  { clientTtlSec, minted, notBefore, renewEarly }: CallMemo,
  { clock }: Host,
): boolean {
  if (minted !== undefined && minted !== entry.minted) return false
  const { startedAt, bootedAt } = clock
  const times = { now: clock.now(), startedAt, bootedAt }
  const criteria: FreshnessCriteria = { context: 'unknown', ...times, clientTtlSec, notBefore }
  return isFresh(entry, criteria) && !isRenewalDue(entry, criteria, renewEarly)
}

/** Returns the context in the client's variable; `undefined` if it is not set or not known. */
function findContext(
  { env }: Pick<Host, 'env'>,
  { contextVariable }: Pick<CallMemo, 'contextVariable'>,
): ClientContext | undefined {
  const value = env[contextVariable]
  return value ? findClientContext(value) : undefined // most clients set no context, and need no further module
}

/** Returns whether the gateway may have refused the token, or the file of hand-outs has to be shortened. The whole program handles both. */
async function isDoubted(
  { digest, minted }: TokenEntry,
  suspicion: Suspicion,
  { clock }: Host,
  location: EntryLocation,
): Promise<boolean> {
  // A missing or unreadable file is no evidence of a refusal.
  const text = await readCacheFile(toCacheFilePath(location, 'served')).catch(() => '')
  if (text.length > longestNote / 2) return true
  const { startedAt } = clock
  const call = { process: observeParentProcessId(), startedAt, now: clock.now(), digest, minted }
  return isSuspected(parseHandOuts(text), suspicion, call)
}

/** Finds the output of an entry; `undefined` if it has a problem. */
function findOutput(
  entry: TokenEntry,
  texts: readonly string[],
  { output: settings, now, headers: origin }: CallMemo & { readonly now: number },
): string | undefined {
  const own: Headers = texts.length === 0 ? {} : expandHeaders(texts.map(toHeaderTemplate), entry.facts, settings.rules)
  const { token, headers, expiresAt } = entry
  const all = origin.from === 'nowhere' ? {} : mergeHeaders(headers ?? {}, own)
  const rendered = toRenderedOutput({ token: token.reveal(), headers: all, expiresAt, now }, settings)
  return 'text' in rendered ? rendered.text : undefined
}

/** A program and the digest of its code, so that no build uses another build's memo. */
interface ProgramBuild {
  readonly program: string
  readonly build: string
}

/** Locates the memo of calls with these arguments. Arguments are not secret: every user of the machine can list them. */
export function locateMemo(host: Host, { program, build }: ProgramBuild): EntryLocation {
  const { argv, home, platform, machineDirectory, runtimeVersion } = host
  const facts = [memoFormat, program, build, argv, home, platform, machineDirectory, runtimeVersion]
  return { directory: locateCacheDirectory(host), program, key: digestFingerprint(JSON.stringify(facts)) }
}

/** The state of a call before the rest of its program is loaded. */
export interface Beginning {
  /** The location of the memo that the call may write. */
  readonly memo: EntryLocation
  /** The answer from the memo, if writing it has failed or takes long. */
  readonly printing?: {
    readonly written: Promise<void>
    readonly clientTimeoutSec: number
    /** See `RememberedAnswer`. */
    readonly spool?: (() => Promise<void>) | undefined
  }
}
