import type { Clock, Deadline } from '../../deadline.ts'
import { type HelperError, toHelperError } from '../../failure.ts'
import type { OutcomeBatch, OutcomeDestination } from '../destination.ts'
import { appendToOwnFile } from '../spool.ts'
import { attemptClaims, type ClaimedLines, removeClaimed, toKeptPath } from './claimed-files.ts'
import { isPaused, readLastFailure, toLastFailure, writeLastFailure } from './last-failure.ts'
import { renderKept, toBatch } from './to-batch.ts'

/** What is sent, from where, and for how long. */
export interface Sending {
  readonly directory: string
  readonly resource: OutcomeBatch['resource']
  readonly destinations: readonly OutcomeDestination[]
  readonly within: Deadline
  readonly clock: Clock
  /** The process id, which makes the names of claimed files unique. */
  readonly process: number
}

/** Sends what is in the spool to each destination. What one does not take now is kept for it alone, and why is noted. */
export async function sendSpool(sending: Sending): Promise<void> {
  const { directory, destinations, clock, process } = sending
  const names = destinations.map(({ name }) => name)
  const claimed = await attemptClaims({ directory, destinations: names, now: clock.now(), process })
  await Promise.all(destinations.map((destination) => sendTo(destination, claimed, sending)))
  await removeClaimed(claimed)
}

async function sendTo(
  destination: OutcomeDestination,
  claimed: readonly ClaimedLines[],
  { directory, resource, within, clock }: Sending,
): Promise<void> {
  const { name } = destination
  const own = claimed.filter((file) => file.destination === 'all' || file.destination === name)
  const batch = toBatch(
    own.flatMap(({ lines }) => lines),
    resource,
  )
  if (batch.outcomes.length === 0 && batch.lost === 0) return
  if (isPaused(await readLastFailure(directory, name), clock.now())) return keep(directory, name, batch)
  const { rest, failure } = await sendParts(destination, batch, within)
  await keep(directory, name, rest)
  await writeLastFailure(directory, name, failure && toLastFailure(failure, clock.now()))
}

type Rest = Pick<OutcomeBatch, 'outcomes' | 'lost'>

/** A disk that takes nothing loses them. */
async function keep(directory: string, destination: string, rest: Rest): Promise<void> {
  const text = renderKept(rest)
  if (text !== '') await appendToOwnFile(toKeptPath(directory, destination), () => text).catch(() => undefined)
}

/** Sends a batch in the parts of its destination. What it did not take begins with the first part that failed for now. */
async function sendParts(
  destination: OutcomeDestination,
  batch: OutcomeBatch,
  within: Deadline,
): Promise<{ readonly rest: Rest; readonly failure: HelperError | undefined }> {
  const parts = destination.split?.(batch) ?? [batch]
  let refused = 0
  let failure: HelperError | undefined
  for (const [index, part] of parts.entries()) {
    const failed = await sendPart(destination, part, within)
    if (failed && failed.kind !== 'refused') return { rest: joinParts(parts.slice(index), refused), failure: failed }
    if (failed) refused += part.lost + part.outcomes.length
    failure ??= failed
  }
  return { rest: { outcomes: [], lost: refused }, failure }
}

function joinParts(parts: readonly OutcomeBatch[], refused: number): Rest {
  return {
    outcomes: parts.flatMap(({ outcomes }) => outcomes),
    lost: parts.reduce((sum, { lost }) => sum + lost, refused),
  }
}

/** @returns why the destination did not take it; `undefined` where it did. */
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
