// Folder: the day of a fleet with a configuration server: releases in waves, each client's document, and the people whom a restart blocks.

import type { FleetSettings } from '../fleet-settings.ts'

/** A fleet, its configuration server, and the events of its day. Times are seconds after midnight UTC. */
export interface ConfigurationDay
  extends Pick<FleetSettings, 'desktops' | 'seed' | 'warmUpDays' | 'sites' | 'turnEverySec'> {
  /** How long a turn takes; a client in a turn is in use. */
  readonly turnSec: number
  /** The percentage of people that each wave reaches. */
  readonly waves: readonly number[]
  /** How many people are in the pilot. */
  readonly pilot: number
  /** The groups of people, each with its share from 0 to 1; a person can be in several groups. */
  readonly groups: readonly { readonly name: string; readonly share: number }[]
  /** The mean lifetime of an answer. */
  readonly expiresSec: number
  /** The `relaunchEnforcementHours` of every document, in seconds. */
  readonly enforcementSec: number
  /** How long a restart of the client takes. */
  readonly restartSec: number
  /** The interval at which a person restarts a client that does not work. */
  readonly tryAgainSec: number
  /** The actions of the owner of the configuration, sorted. */
  readonly changes: readonly ConfigurationChange[]
  /** When the server cannot be reached. */
  readonly outages: readonly { readonly at: number; readonly forSec: number }[]
}

/** One command of the owner of the configuration. */
export interface ConfigurationChange {
  readonly at: number
  readonly command:
    | { readonly type: 'release'; readonly gateway: 'right' | 'wrong'; readonly group: string | undefined }
    | { readonly type: 'promote' | 'resume'; readonly wave: number }
    | { readonly type: 'halt' | 'revert' }
}

/** The reasons why a person could not work. The minutes of each reason are counted separately. */
export const blockCauses = [
  /** A turn came while the client restarted by itself. */
  'own-restart',
  /** The client had to be restarted before it went on. */
  'enforced-restart',
  /** The client started while the server could not be reached. */
  'no-document',
  /** The client's document names a gateway that does not work. */
  'wrong-document',
] as const
/** See {@link blockCauses}. */
export type BlockCause = (typeof blockCauses)[number]

/** The results of the counted day. Series of requests have a number for each second, other series one for each minute. */
export interface ConfigurationResult {
  readonly requests: Readonly<Record<'document' | 'unchanged' | 'unreachable', Uint32Array>>
  /**
   * The starts of clients: by people in the morning, by the client itself, because of the enforcement, and because the client did not work.
   */
  readonly starts: Readonly<Record<StartCause, number>>
  readonly people: number
  readonly turns: number
  readonly lostTurns: number
  /** How long each person was blocked by a cause, in milliseconds. Sorted. */
  readonly blocked: Readonly<Record<BlockCause, Float64Array>>
  /** The blocked times after both kinds of restart together. */
  readonly blockedByRestart: Float64Array
  /** The people who were blocked in each minute. */
  readonly blockedPerMinute: Readonly<Record<BlockCause, Int32Array>>
  /** The open clients of each release, by its number from 1, in each minute; 0 is for clients without a document. */
  readonly clientsPerMinute: readonly Int32Array[]
  /** The releases, and when each was published, in seconds of the day. */
  readonly changes: readonly { readonly at: number; readonly words: string }[]
}

/** Why a client was started: in the morning, by a restart of its own or an enforced one, or because it did not work. */
export type StartCause = 'morning' | 'own-restart' | 'enforced-restart' | 'not-working'

/** The number of minutes in the day that is counted. */
export const dayMinutes = 1440
