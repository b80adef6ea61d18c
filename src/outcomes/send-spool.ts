import { readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock, Deadline } from '../runtime/deadline.ts'
import { type HelperError, isWithoutRoom, toHelperError } from '../runtime/failure.ts'
import { readCacheFile } from '../runtime/files/private-files.ts'
import { parseObject } from '../runtime/values/json-value.ts'
import { type CallOutcome, renderOutcome } from './call-outcome.ts'
import type { OutcomeBatch, OutcomeDestination } from './destination.ts'
import { isPaused, readLastFailure, toLastFailure, writeLastFailure } from './last-failure.ts'
import { parseLostCount, recordLost } from './lost-count.ts'
import { parseOutcome } from './parse-outcome.ts'
import { appendToOwnFile, longestSpool, toSpoolPath } from './spool.ts'

/** Sends the spool to each destination. Outcomes that a destination does not accept now are stored for it alone, with the reason. */
export async function sendSpool(sending: Sending): Promise<void> {
  const { directory, destinations, clock, process } = sending
  const names = destinations.map(({ name }) => name)
  const claimed = await attemptClaims({ directory, destinations: names, now: clock.now(), process })
  await Promise.all(destinations.map((destination) => sendTo(destination, claimed, sending)))
  await removeClaimed(claimed)
}

/** Lines that only one sender has, because it renamed their file. */
interface ClaimedLines {
  /** The destination of the lines; `all` for those of the spool. */
  readonly destination: string
  readonly path: string
  readonly lines: readonly string[]
}

/** The process that claims, and the destinations. */
interface SpoolClaimant {
  readonly directory: string
  /** The names of the destinations that are sent to. */
  readonly destinations: readonly string[]
  readonly now: number
  /** The process id. */
  readonly process: number
}

/** The order to send: the directory, the destinations, and the time. */
interface Sending {
  readonly directory: string
  readonly resource: OutcomeBatch['resource']
  readonly destinations: readonly OutcomeDestination[]
  readonly within: Deadline
  readonly clock: Clock
  /** The process id, which makes the names of claimed files unique. */
  readonly process: number
}

/**
 * Claims the spool, the lines that these destinations did not accept, and both kinds of files of killed senders. A file is renamed, so that
 * two senders never send the same lines. Lines for another destination stay, because another helper of the user may name it, or the same
 * one again. A file that other users may have written is not read, and gets a name under which nobody appends to it.
 */
async function attemptClaims({ directory, destinations, now, process }: SpoolClaimant): Promise<ClaimedLines[]> {
  const names = await readdir(directory)
  const claimed: ClaimedLines[] = []
  for (const [index, name] of names.sort().entries()) {
    const destination = findDestination(directory, name, now)
    if (destination === undefined || !['all', ...destinations].includes(destination)) continue
    const lost = countLostIn(name)
    const path = join(
      directory,
      `outcomes.claimed-${destination}-${now}-${process}-${index}${lost === 0 ? '' : `-lost-${lost}`}`,
    )
    claimed.push(...(await moveLines(join(directory, name), { destination, path })))
  }
  return claimed
}

function findDestination(directory: string, name: string, now: number): string | undefined {
  if (name === basename(toSpoolPath(directory)) || parseLostCount(name) !== undefined) return 'all'
  const [, kept] = /^outcomes\.kept-([a-z]+)$/.exec(name) ?? []
  if (kept !== undefined) return kept
  const [, left, since] = /^outcomes\.claimed-([a-z]+)-(\d+)-\d+-\d+(?:-lost-\d+)?$/.exec(name) ?? []
  // A time in the future does not count, because the clock was set back.
  const isLeftOver = since !== undefined && Math.abs(now - Number(since)) > longestWorkMs
  return isLeftOver ? left : undefined
}

/** In milliseconds. No sender works this long: a claimed file of this age was left by a sender that was killed. */
const longestWorkMs = 60_000

/** Counts the outcomes in the name of a file, claimed or not. */
function countLostIn(name: string): number {
  return parseLostCount(name) ?? Number(/-lost-(\d+)$/.exec(name)?.[1] ?? 0)
}

async function moveLines(from: string, to: Omit<ClaimedLines, 'lines'>): Promise<ClaimedLines[]> {
  try {
    await rename(from, to.path)
    const text = await readCacheFile(to.path)
    const lost = countLostIn(basename(to.path))
    return [
      { ...to, lines: [...(lost === 0 ? [] : [renderLoss(lost)]), ...text.split('\n').filter((line) => line !== '')] },
    ]
  } catch {
    return [] // another sender has it, or it is not a file of ours
  }
}

async function sendTo(
  destination: OutcomeDestination,
  claimed: readonly ClaimedLines[],
  sending: Sending,
): Promise<void> {
  const { directory, resource, within, clock } = sending
  const { name } = destination
  const files = claimed.filter((file) => file.destination === 'all' || file.destination === name)
  const batch = toBatch(
    files.flatMap(({ lines }) => lines),
    resource,
  )
  if (batch.outcomes.length === 0 && batch.lost === 0) return
  if (isPaused(await readLastFailure(directory, name), clock.now())) return writeUnsent(sending, name, batch)
  const { unsent, failure } = await sendParts(destination, batch, within)
  await writeUnsent(sending, name, unsent)
  await writeLastFailure(directory, name, failure && toLastFailure(failure, clock.now(), Math.random()))
}

/** The outcomes that a destination has not accepted, and how many more were lost. */
type Unsent = Pick<OutcomeBatch, 'outcomes' | 'lost'>

async function removeClaimed(claimed: readonly ClaimedLines[]): Promise<void> {
  for (const { path } of claimed) await rm(path, { force: true })
}

/** Stores what is unsent. If the disk is full, the outcomes are counted; after any other error of the disk, they are lost. */
async function writeUnsent({ directory, clock, process }: Sending, destination: string, unsent: Unsent): Promise<void> {
  const text = renderKept(unsent)
  if (text === '') return
  try {
    const taken = await appendToOwnFile(toKeptPath(directory, destination), () => text).catch((error: unknown) => {
      if (isWithoutRoom(error)) return 0
      throw error
    })
    const lost = countCutOff(text, taken)
    if (lost > 0) await recordLost(directory, lost, { process, now: clock.now() })
  } catch {
    // The count of lost outcomes is in the same directory, so nothing else can record them.
  }
}

/** Sends a batch in the parts of its destination. The unsent rest begins with the first part that failed for now. */
async function sendParts(
  destination: OutcomeDestination,
  batch: OutcomeBatch,
  within: Deadline,
): Promise<{ readonly unsent: Unsent; readonly failure: HelperError | undefined }> {
  const parts = destination.split?.(batch) ?? [batch]
  let refused = 0
  let failure: HelperError | undefined
  for (const [index, part] of parts.entries()) {
    const failed = await sendPart(destination, part, within)
    if (failed && failed.kind !== 'refused') return { unsent: joinParts(parts.slice(index), refused), failure: failed }
    if (failed) refused += part.lost + part.outcomes.length
    failure ??= failed
  }
  return { unsent: { outcomes: [], lost: refused }, failure }
}

/** Sends one part. @returns why the destination did not accept it; `undefined` if it did. */
async function sendPart(
  destination: OutcomeDestination,
  part: OutcomeBatch,
  within: Deadline,
): Promise<HelperError | undefined> {
  try {
    await within.during('network', destination.name, () => destination.send(part, within))
    return undefined
  } catch (error) {
    return toHelperError(error)
  }
}

function joinParts(parts: readonly OutcomeBatch[], refused: number): Unsent {
  return {
    outcomes: parts.flatMap(({ outcomes }) => outcomes),
    lost: parts.reduce((sum, { lost }) => sum + lost, refused),
  }
}

/** Parses the outcomes in lines. A line that cannot be parsed, such as one that a full disk cut off, is a lost outcome. */
function toBatch(lines: readonly string[], resource: OutcomeBatch['resource']): OutcomeBatch {
  const outcomes: CallOutcome[] = []
  let lost = 0
  // A line is one flat object. If another object begins within it, the first one was cut off.
  for (const record of lines.flatMap((line) => line.split(/(?<=.)(?=\{)/))) {
    const outcome = parseOutcome(record)
    if (outcome) outcomes.push(outcome)
    else lost += parseLoss(record) ?? 1
  }
  return { outcomes, lost, resource }
}

/** Renders the latest outcomes of a batch as the text of a file no longer than a spool. The others are counted as lost. */
function renderKept({ outcomes, lost }: Unsent): string {
  const lines: string[] = []
  let size = 0
  for (const outcome of outcomes.toReversed()) {
    const line = `${renderOutcome(outcome)}\n`
    size += line.length
    if (size > longestSpool) break
    lines.unshift(line)
  }
  const all = lost + outcomes.length - lines.length
  return `${all === 0 ? '' : `${renderLoss(all)}\n`}${lines.join('')}`
}

/** Returns the path of the file with lines that a destination did not accept, which are sent again. */
function toKeptPath(directory: string, destination: string): string {
  return join(directory, `outcomes.kept-${destination}`)
}

/** Counts the outcomes in the lines that a file did not take. The line that was cut off is counted when it is read. */
function countCutOff(text: string, taken: number): number {
  const isCut = taken > 0 && text[taken - 1] !== '\n'
  const { outcomes, lost } = toBatch(
    text
      .slice(taken)
      .split('\n')
      .filter((line) => line !== ''),
    {},
  )
  return outcomes.length + lost - (isCut ? 1 : 0)
}

function renderLoss(lost: number): string {
  return JSON.stringify({ lost })
}

function parseLoss(line: string): number | undefined {
  const { lost } = parseObject(line) ?? {}
  return Number.isSafeInteger(lost) && (lost as number) > 0 ? (lost as number) : undefined
}
