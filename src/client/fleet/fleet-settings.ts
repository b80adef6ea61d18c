/** One group of desktops that begin and end their days alike. Moments are seconds after midnight of the simulated day, in UTC. */
export interface FleetSite {
  /** Its part of the fleet; the parts add up to 1. */
  readonly share: number
  /** The middle of the time in which people begin, and its standard deviation in seconds. */
  readonly beginsAt: number
  readonly beginSpreadSec: number
  /** How long they stay, in seconds, and its standard deviation; 0 where nobody comes, and machines run tasks alone. */
  readonly stays: number
  readonly staySpreadSec: number
  /** A laptop runs scheduled tasks while its person is there and it does not sleep; another machine runs them day and night. */
  readonly machine: 'laptop' | 'always-on'
  /** When laptops sleep, such as over lunch; each of them a while around it. */
  readonly sleeps: readonly { readonly at: number; readonly forSec: number; readonly spreadSec: number }[]
}

/** The identity provider that mints for the whole fleet. */
export interface FleetProvider {
  /** More requests in one second are answered with 429; `undefined` for a provider without a quota. */
  readonly quotaPerSec: number | undefined
  /** What such an answer says in `Retry-After`, in seconds; `undefined` where it says nothing. */
  readonly retryAfterSec: number | undefined
  /** Points of a line: under so many requests a second an answer takes so many milliseconds. Sorted. */
  readonly latency: readonly (readonly [perSec: number, ms: number])[]
}

/** What an administrator chooses before a rollout. */
export interface FleetChoice {
  /** The document's `ttlSec`, which is the helper's `client-ttl` too. */
  readonly ttlSec: number
  /** The document's `timeoutSec`. */
  readonly timeoutSec: number
  /** The helper's `renew-early`, in percent; 0 renews every token as late as it can be. */
  readonly renewEarly: number
}

/** A fleet, its day, and what happens in it. */
export interface FleetSettings {
  readonly desktops: number
  /** The same number gives the same day. */
  readonly seed: number
  /** Days that are played before the one that is counted, so that it begins in a state that lasts. */
  readonly warmUpDays: number
  readonly sites: readonly FleetSite[]
  /** The mean time between the turns of one person, in seconds, above 0; they are random (a Poisson process). */
  readonly turnEverySec: number
  /**
   * A scheduled task of every desktop that is on, so often in seconds, counted from midnight; `undefined` for none. It opens a
   * session and sends one turn.
   */
  readonly taskEverySec: number | undefined
  /** How far apart the desktops of one such moment begin, in seconds; less than `taskEverySec`. */
  readonly taskSpreadSec: number
  readonly tokenLifeSec: number
  readonly provider: FleetProvider
  /** When no identity provider is reached: on the counted day, as the revocations are. */
  readonly outages: readonly { readonly at: number; readonly forSec: number }[]
  /** When every token that was minted before is refused. Sorted. */
  readonly revocations: readonly number[]
  /** Of so many thousand turns one is refused (401) although its token is good. */
  readonly refusedPerThousand: number
}
