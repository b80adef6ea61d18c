/** A group of desktops with the same working hours. Times are seconds after midnight of the simulated day, in UTC. */
export interface FleetSite {
  /** Its share of the fleet; the shares add up to 1. */
  readonly share: number
  /** The mean time at which people begin, and its standard deviation in seconds. */
  readonly beginsAt: number
  readonly beginSpreadSec: number
  /** How long people stay, in seconds, and its standard deviation; 0 for a site without people, whose machines only run tasks. */
  readonly stays: number
  readonly staySpreadSec: number
  /** A laptop runs scheduled tasks while its person is there and it is awake; an `always-on` machine runs them day and night. */
  readonly machine: 'laptop' | 'always-on'
  /** The sleeping times of laptops, such as a lunch break; each laptop sleeps at a random time around `at`. */
  readonly sleeps: readonly { readonly at: number; readonly forSec: number; readonly spreadSec: number }[]
}

/** The identity provider that mints for the whole fleet. */
export interface FleetProvider {
  /** Requests beyond this number in one second are answered with 429; `undefined` for no quota. */
  readonly quotaPerSec: number | undefined
  /** The seconds of `Retry-After` in such an answer; `undefined` for an answer without it. */
  readonly retryAfterSec: number | undefined
  /** The latency as sorted points of a line: milliseconds of an answer at a number of requests a second. */
  readonly latency: readonly (readonly [perSec: number, ms: number])[]
}

/** The settings that an administrator chooses before a rollout. */
export interface FleetChoice {
  /** The document's `ttlSec`, which is also the helper's `client-ttl`. */
  readonly ttlSec: number
  /** The document's `timeoutSec`. */
  readonly timeoutSec: number
  /** The helper's `renew-early`, in percent; 0 renews every token as late as possible. */
  readonly renewEarly: number
}

/** A fleet, its day, and the events of that day. */
export interface FleetSettings {
  readonly desktops: number
  /** The seed of the random numbers: equal seeds give equal days. */
  readonly seed: number
  /** The days before the counted one, so that it begins in a steady state. */
  readonly warmUpDays: number
  readonly sites: readonly FleetSite[]
  /** The mean time between the turns of one person, in seconds, above 0; they are random (a Poisson process). */
  readonly turnEverySec: number
  /**
   * The interval of the scheduled tasks of every running desktop, in seconds from midnight; `undefined` without tasks. A task opens a
   * session and sends one turn.
   */
  readonly taskEverySec: number | undefined
  /** The time over which desktops spread a task that is due at one moment, in seconds; less than `taskEverySec`. */
  readonly taskSpreadSec: number
  readonly tokenLifeSec: number
  readonly provider: FleetProvider
  /** The outages of the identity provider. Like revocations, they are on the counted day. */
  readonly outages: readonly { readonly at: number; readonly forSec: number }[]
  /** The sorted times at which all earlier tokens are revoked. */
  readonly revocations: readonly number[]
  /** How many of a thousand turns are refused (401) although their token is valid. */
  readonly refusedPerThousand: number
}
