import { type HelperError, toHelperError } from '../../runtime/failure.ts'
import { startLooking } from '../../verify/start-looking.ts'
import type { OpenRelease } from '../open-release.ts'
import type { PreparedRelease } from './prepare-release.ts'

/** A change of what is served. */
export type ReleaseEvent =
  | { readonly kind: 'served'; readonly open: OpenRelease }
  /** The release on the disk cannot be served; the last good one goes on, if there is one. */
  | { readonly kind: 'kept' | 'nothing'; readonly failure: HelperError }
  | { readonly kind: 'recovered'; readonly open: OpenRelease }

/** The release that is served, however the folder changes. */
export interface ReleaseFollower {
  /** The last good one; `undefined` before there was one. */
  release(): PreparedRelease | undefined
  state(): FollowedState
  /** Looks at once, for example on SIGHUP. */
  look(): Promise<void>
  close(): void
}

/**
 * Looks at the folder again and again. A request is answered from the one release that it found when it began: the whole old one or the
 * whole new one.
 */
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
  /** Epoch milliseconds since which the present release is served. */
  readonly since: number | undefined
  /** Whether what is on the disk is not what is served. */
  readonly isRefused: boolean
}

interface FollowedParts {
  /** Reads, verifies and prepares what is on the disk; gives back `known` if nothing has changed. */
  readonly read: (known: PreparedRelease | undefined) => Promise<PreparedRelease>
  readonly now: () => number
  readonly observe: (event: ReleaseEvent) => void
  /** Between two looks at the folder. */
  readonly intervalMs: number
}
