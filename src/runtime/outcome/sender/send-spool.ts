import type { Clock, Deadline } from '../../deadline.ts'
import { HelperError } from '../../failure.ts'
import type { OutcomeBatch, OutcomeDestination } from '../destination.ts'
import { appendToOwnFile } from '../spool.ts'
import { attemptClaims, type ClaimedLines, removeClaimed, toKeptPath } from './claimed-files.ts'
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

/** Sends what is in the spool to each destination. What one does not take now is kept for it alone; nothing is reported. */
export async function sendSpool(sending: Sending): Promise<void> {
  const { directory, destinations, clock, process } = sending
  const claimed = await attemptClaims(directory, clock.now(), process)
  await Promise.all(destinations.map((destination) => sendTo(destination, claimed, sending)))
  await removeClaimed(claimed)
}

async function sendTo(
  destination: OutcomeDestination,
  claimed: readonly ClaimedLines[],
  { directory, resource, within }: Sending,
): Promise<void> {
  const own = claimed.filter((file) => file.destination === 'all' || file.destination === destination.name)
  const batch = toBatch(
    own.flatMap(({ lines }) => lines),
    resource,
  )
  if (batch.outcomes.length === 0 && batch.lost === 0) return
  const text = renderKept(await sendParts(destination, batch, within))
  if (text === '') return
  // A disk that takes nothing loses them.
  await appendToOwnFile(toKeptPath(directory, destination.name), () => text).catch(() => undefined)
}

/** Sends a batch in the parts of its destination. @returns what it did not take, from the first part on that failed for now. */
async function sendParts(
  destination: OutcomeDestination,
  batch: OutcomeBatch,
  within: Deadline,
): Promise<Pick<OutcomeBatch, 'outcomes' | 'lost'>> {
  const parts = destination.split?.(batch) ?? [batch]
  let refused = 0
  for (const [index, part] of parts.entries()) {
    const taken = await sendPart(destination, part, within)
    if (taken === 'not now') return joinParts(parts.slice(index), refused)
    if (taken === 'never') refused += part.lost + part.outcomes.length
  }
  return { outcomes: [], lost: refused }
}

function joinParts(parts: readonly OutcomeBatch[], refused: number): Pick<OutcomeBatch, 'outcomes' | 'lost'> {
  return {
    outcomes: parts.flatMap(({ outcomes }) => outcomes),
    lost: parts.reduce((sum, { lost }) => sum + lost, refused),
  }
}

async function sendPart(
  destination: OutcomeDestination,
  part: OutcomeBatch,
  within: Deadline,
): Promise<'taken' | 'not now' | 'never'> {
  try {
    await within.during('network', destination.name, () => destination.send(part, within))
    return 'taken'
  } catch (error) {
    return error instanceof HelperError && error.kind === 'refused' ? 'never' : 'not now'
  }
}
