// Folder: the day of a fleet at its configuration server: releases in waves, what each client holds, and whom a restart blocks.

import type { FleetSettings } from '../fleet-settings.ts'

/** A fleet, its configuration server, and what happens on its day. Moments are seconds after midnight UTC. */
export interface ConfigurationDay
  extends Pick<FleetSettings, 'desktops' | 'seed' | 'warmUpDays' | 'sites' | 'turnEverySec'> {
  /** How long a turn takes; a client in a turn is in use. */
  readonly turnSec: number
  /** The part of the people, in percent, that each wave reaches. */
  readonly waves: readonly number[]
  /** How many people are in the pilot. */
  readonly pilot: number
  /** The part of the people, from 0 to 1, that is in each group; a person can be in several. */
  readonly groups: readonly ConfigurationGroup[]
  /** How long an answer counts, on the average. */
  readonly expiresSec: number
  /** The `relaunchEnforcementHours` of every document, in seconds. */
  readonly enforcementSec: number
  /** How long a restart of the client takes. */
  readonly restartSec: number
  /** How often a person whose client does not work starts it again. */
  readonly tryAgainSec: number
  /** The actions of the owner of the configuration, sorted. */
  readonly changes: readonly ConfigurationChange[]
  /** When the server cannot be reached. */
  readonly outages: readonly { readonly at: number; readonly forSec: number }[]
}

/** A group of people with a document of its own. */
interface ConfigurationGroup {
  readonly name: string
  readonly share: number
}

/** One command of the owner of the configuration. */
export interface ConfigurationChange {
  readonly at: number
  readonly command:
    | { readonly type: 'release'; readonly gateway: 'right' | 'wrong'; readonly group: string | undefined }
    | { readonly type: 'promote' | 'resume'; readonly wave: number }
    | { readonly type: 'halt' | 'revert' }
}

/** Why a person could not work: the moments of each cause are counted for themselves. */
export const blockCauses = ['own-restart', 'enforced-restart', 'no-document', 'wrong-document'] as const
/**
 * `own-restart`: a turn came while the client restarted by itself. `enforced-restart`: the client had to be restarted before it went on.
 * `no-document`: the client started while the server could not be reached. `wrong-document`: its document names a gateway that does not work.
 */
export type BlockCause = (typeof blockCauses)[number]

/** The counted day. Series of requests have a number for each second, other series one for each minute. */
export interface ConfigurationResult {
  readonly requests: Readonly<Record<'document' | 'unchanged' | 'unreachable', Uint32Array>>
  /** How often clients were started: by people in the morning, by themselves, because they had to, and because they did not work. */
  readonly starts: Readonly<Record<StartCause, number>>
  readonly people: number
  readonly turns: number
  readonly lostTurns: number
  /** For each person who was blocked by a cause, how long in all, in milliseconds. Sorted. */
  readonly blocked: Readonly<Record<BlockCause, Float64Array>>
  /** The starts after both kinds of restart together. */
  readonly blockedByRestart: Float64Array
  /** The people who were blocked in each minute. */
  readonly blockedPerMinute: Readonly<Record<BlockCause, Int32Array>>
  /** The open clients that work by each release, by its number from 1, in each minute; 0 stands for clients without a document. */
  readonly clientsPerMinute: readonly Int32Array[]
  /** The releases, and when each was published, in seconds of the day. */
  readonly changes: readonly { readonly at: number; readonly words: string }[]
}

/** The reason why a client was started: a person came, restarted by themselves or had to, or found it not working. */
export type StartCause = 'morning' | 'own-restart' | 'enforced-restart' | 'not-working'

/** The number of minutes in the day that is counted. */
export const dayMinutes = 1440
