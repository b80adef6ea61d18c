import { setTimeout as wait } from 'node:timers/promises'
import { startLooking } from '../start-looking.ts'
import type { Policy } from './policy.ts'
import type { PolicyFinding } from './policy-finding.ts'
import { type PolicyFile, readPolicyFile, requirePolicy } from './read-policy-file.ts'

/** Facts about the policy in force, for health and metrics. */
export interface PolicyState {
  /** The SHA-256 of the files in force. */
  readonly digest: string
  /** Epoch milliseconds since which they are in force. */
  readonly since: number
  /** Why the present files are not in force; absent if they are. */
  readonly problem?: {
    readonly since: number
    readonly digest: string
    readonly findings: readonly PolicyFinding[]
  }
}

/** A change of the files. Each is reported once. */
export type PolicyEvent =
  | { readonly kind: 'loaded' | 'replaced'; readonly digest: string; readonly findings: readonly PolicyFinding[] }
  | { readonly kind: 'kept'; readonly digest: string; readonly findings: readonly PolicyFinding[] }
  /** The files are again the ones in force. */
  | { readonly kind: 'recovered'; readonly digest: string }

/** A policy that is read again when its file changes. */
export interface PolicyFollower {
  /** The policy in force; a new object after each change. */
  policy(): Policy
  state(): PolicyState
  /** Checks the file now, besides the regular checks. */
  look(): Promise<void>
  close(): void
}

/**
 * Reads a policy file with the key files that it names, and reads them again every second. Only the content matters, not how it was
 * changed: by writing in place, by renaming, or through a link to another file. A file with errors changes nothing.
 * @throws {HelperError} `not-configured` if the file has errors at the start.
 */
export async function startFollowingPolicy(path: string, options: FollowOptions): Promise<PolicyFollower> {
  const { now, observe = () => {} } = options
  const first = await readPolicyFile(path, 'its owner')
  let policy = requirePolicy(path, first)
  let state: PolicyState = { digest: first.digest, since: now() }
  observe({ kind: 'loaded', digest: first.digest, findings: first.findings })
  const closing = new AbortController()

  async function look(): Promise<void> {
    const read = await readSettled(path, state, closing.signal)
    if (!read || closing.signal.aborted) return
    const next = toNext(read, { policy, state }, now())
    policy = next.policy
    state = next.state
    if (next.event) observe(next.event)
  }

  const looks = startLooking(look, intervalMs)
  closing.signal.addEventListener('abort', looks.close)
  return { policy: () => policy, state: () => state, look: looks.look, close: () => closing.abort() }
}

/** The time between two checks. */
const intervalMs = 1000

interface InForce {
  readonly policy: Policy
  readonly state: PolicyState
}

/** The settings for following a file. */
interface FollowOptions {
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly observe?: (event: PolicyEvent) => void
}

/** Returns `undefined` while the file is being written; the next check reads the result. */
async function readSettled(
  path: string,
  { digest, problem }: PolicyState,
  signal: AbortSignal,
): Promise<PolicyFile | undefined> {
  const read = await readPolicyFile(path, 'its owner')
  if (read.digest === digest && !problem) return read
  await wait(settleMs, undefined, { signal, ref: false }).catch(() => {}) // the follower was closed
  const again = await readPolicyFile(path, 'its owner')
  return again.digest === read.digest ? again : undefined
}

/** A change takes effect after two equal reads with this time between them, because the file may be in the middle of a write. */
const settleMs = 100

function toNext(read: PolicyFile, { policy, state }: InForce, at: number): InForce & { readonly event?: PolicyEvent } {
  const { digest, findings } = read
  const { problem, ...kept } = state
  if (digest === state.digest) return { policy, state: kept, ...(problem && { event: { kind: 'recovered', digest } }) }
  if (read.policy)
    return {
      policy: read.policy,
      state: { digest, since: at },
      event: { kind: 'replaced', digest, findings },
    }
  if (problem?.digest === digest) return { policy, state: { ...kept, problem } }
  return {
    policy,
    state: { ...kept, problem: { since: problem?.since ?? at, digest, findings } },
    event: { kind: 'kept', digest, findings },
  }
}
