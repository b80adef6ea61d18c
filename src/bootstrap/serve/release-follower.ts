import { type HelperError, toHelperError } from '../../runtime/failure.ts'
import { startLooking } from '../../verify/start-looking.ts'
import type { OpenRelease } from '../open-release.ts'
import type { PreparedRelease } from './prepare-release.ts'

/** A change of the served release. */
export type ReleaseEvent =
  | { readonly kind: 'served'; readonly open: OpenRelease }
  /** The release on the disk cannot be served; the last good one, if any, stays in use. */
  | { readonly kind: 'kept' | 'nothing'; readonly failure: HelperError }
  | { readonly kind: 'recovered'; readonly open: OpenRelease }

/** The release that is served while the folder may change. */
export interface ReleaseFollower {
  /** The last good release; `undefined` before the first. */
  release(): PreparedRelease | undefined
  state(): FollowedState
  /** Checks at once, for example on SIGHUP. */
  look(): Promise<void>
  close(): void
}

/** Checks the folder regularly. A request is answered from the release that was current when it arrived, so never from parts of two. */
export async function startFollowingRelease({
  read,
  now,
  observe,
  intervalMs,
}: FollowedParts): Promise<ReleaseFollower> {
  let prepared: PreparedRelease | undefined
  let state: FollowedState = { since: undefined, isRefused: false }
  let told: string | undefined
  const closing = new AbortController()

  const look = async (): Promise<void> => {
    try {
      const next = await read(prepared)
      if (closing.signal.aborted) return
      const isNew = next.open !== prepared?.open
      if (isNew) state = { since: now(), isRefused: false }
      else if (told !== undefined) state = { ...state, isRefused: false }
      prepared = next
      if (isNew || told !== undefined) observe({ kind: isNew ? 'served' : 'recovered', open: next.open })
      told = undefined
    } catch (thrown) {
      const failure = toHelperError(thrown)
      state = { ...state, isRefused: true }
      const words = failure.message
      if (told !== words) observe({ kind: prepared ? 'kept' : 'nothing', failure })
      told = words
    }
  }
  const looks = startLooking(look, intervalMs)
  closing.signal.addEventListener('abort', looks.close)
  await looks.look()
  return { release: () => prepared, state: () => state, look: looks.look, close: () => closing.abort() }
}

/** The state of the followed folder, for metrics. */
interface FollowedState {
  /** When the present release began to be served, in epoch milliseconds. */
  readonly since: number | undefined
  /** Whether the release on the disk is not the served one. */
  readonly isRefused: boolean
}

interface FollowedParts {
  /** Reads, verifies and prepares the release on the disk; returns `known` if nothing has changed. */
  readonly read: (known: PreparedRelease | undefined) => Promise<PreparedRelease>
  readonly now: () => number
  readonly observe: (event: ReleaseEvent) => void
  /** The time between two checks of the folder. */
  readonly intervalMs: number
}
