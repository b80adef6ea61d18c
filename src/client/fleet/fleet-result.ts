/** Why a turn of a simulated desktop was lost: its helper failed, or the gateway refused the fresh token too. */
export type FleetLoss = 'no-credential' | 'unauthorized'

/** Why the provider was asked: a desktop had no token that was still good, its token was renewed in time, or the gateway refused it. */
export type MintCause = 'first' | 'renewal' | 'refusal'

/** Seconds of the counted day: how many numbers a series has. */
export const daySec = 86_400

/** The counted day of a fleet under one choice. Series have one number for each second of the day. */
export interface FleetResult {
  /** Requests that the provider answered with a token, by cause. */
  readonly mints: Readonly<Record<MintCause, Uint32Array>>
  /** All requests to the provider, those that it refused or that did not reach it included. */
  readonly requests: Uint32Array
  /** Of those, answers with 429, requests that reached nobody, and tokens for which the helper did not wait long enough. */
  readonly throttled: Uint32Array
  readonly unreachable: Uint32Array
  readonly late: Uint32Array
  /** Turns, by the second in which they were sent or lost: what a gateway has to bear. */
  readonly turns: Uint32Array
  /** By the same second those that a new token rescued after a 401, and those that were lost. */
  readonly rescued: Uint32Array
  readonly lost: Readonly<Record<FleetLoss, Uint32Array>>
  /** Helper runs, by where their token came from. */
  readonly runs: Readonly<Record<'cache' | 'mint' | 'kept' | 'failed', number>>
  /** How many turns waited for a helper run so long: one number for each step of {@link waitStepsMs}, and one beyond the last. */
  readonly waits: Uint32Array
}

/** Upper bounds of the steps in which waiting is counted, in milliseconds. */
export const waitStepsMs = [
  50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000,
] as const
