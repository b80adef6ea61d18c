/** One group of desktops that begin and end their days alike. Moments are seconds after midnight of the simulated day, in UTC. */
export interface FleetSite {
  /** Its share of the fleet; the shares add up to 1. */
  readonly share: number
  /** The middle of the time in which people begin, and its standard deviation in seconds. */
  readonly beginsAt: number
  readonly beginSpreadSec: number
  /** How long people stay, in seconds, and its standard deviation; 0 if nobody comes, and machines only run tasks. */
  readonly stays: number
  readonly staySpreadSec: number
  /** A laptop runs scheduled tasks while its person is there and it does not sleep; an `always-on` machine runs them day and night. */
  readonly machine: 'laptop' | 'always-on'
  /** When laptops sleep, such as over lunch; each sleeps at a random time around `at`. */
  readonly sleeps: readonly { readonly at: number; readonly forSec: number; readonly spreadSec: number }[]
}

/** The identity provider that mints for the whole fleet. */
export interface FleetProvider {
  /** Requests beyond this number in one second are answered with 429; `undefined` for a provider without a quota. */
  readonly quotaPerSec: number | undefined
  /** The seconds in `Retry-After` of such an answer; `undefined` if it has none. */
  readonly retryAfterSec: number | undefined
  /** Points of a line, sorted: how many milliseconds an answer takes under how many requests a second. */
  readonly latency: readonly (readonly [perSec: number, ms: number])[]
}

/** The settings that an administrator chooses before a rollout. */
export interface FleetChoice {
  /** The document's `ttlSec`, which is the helper's `client-ttl` too. */
  readonly ttlSec: number
  /** The document's `timeoutSec`. */
  readonly timeoutSec: number
  /** The helper's `renew-early`, in percent; 0 renews every token as late as it can be. */
  readonly renewEarly: number
}

/** A fleet, its day, and the events of that day. */
export interface FleetSettings {
  readonly desktops: number
  /** The same number gives the same day. */
  readonly seed: number
  /** Days that are played before the counted one, so that it begins in a steady state. */
  readonly warmUpDays: number
  readonly sites: readonly FleetSite[]
  /** The mean time between the turns of one person, in seconds, above 0; they are random (a Poisson process). */
  readonly turnEverySec: number
  /**
   * How often every desktop that is on runs a scheduled task, in seconds from midnight; `undefined` for no tasks. A task opens a
   * session and sends one turn.
   */
  readonly taskEverySec: number | undefined
  /** How far apart the desktops begin a task that is due at one moment, in seconds; less than `taskEverySec`. */
  readonly taskSpreadSec: number
  readonly tokenLifeSec: number
  readonly provider: FleetProvider
  /** When the identity provider cannot be reached; on the counted day, as for revocations. */
  readonly outages: readonly { readonly at: number; readonly forSec: number }[]
  /** The moments at which every earlier token is revoked. Sorted. */
  readonly revocations: readonly number[]
  /** How many of a thousand turns are refused (401) although their token is good. */
  readonly refusedPerThousand: number
}
