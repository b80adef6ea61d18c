import type { RunHelper } from '../../launch/run-credential-helper.ts'
import type { OpenSignIn } from '../../sign-in/client-sign-in.ts'
import type { Turn } from '../../turn/turn.ts'
import type { PersonState } from '../scenario/scenario.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** The gateway of a simulated client. */
export interface SimulatedGateway {
  /** Where every turn is sent, instead of the document's `baseUrl`. */
  readonly url: string
  /** Sends the requests; the runtime's own fetch by default. */
  readonly fetch?: Turn['fetch']
  /** How it can be changed; only the built-in gateway has controls. */
  readonly controls?: GatewayControls
}

/** How a scenario changes the built-in gateway. */
export interface GatewayControls {
  revokeAll(): void
  readonly failureMode: { status?: number; silentMs?: number }
  /** Registers a token whose life begins now, unless it was registered before. `ended`: it was, and has expired. */
  register(token: string, lifeSec: number | undefined, print: 'fresh' | 'maybe again'): 'new' | 'known' | 'ended'
}

/** Conditions that differ for a while. */
export interface Conditions {
  network: 'up' | 'down'
  /** How much longer a helper takes than its process. */
  helperDelaySec: number
  /** The identity provider. */
  provider: 'up' | 'down'
  /** Whether the provider has ended the person's sign-in, so that its refresh token is refused. */
  signIn: 'valid' | 'revoked'
}

/** What a simulated world is made of. */
export interface WorldSettings {
  readonly clock: VirtualClock
  readonly gateway: SimulatedGateway
  readonly conditions: Conditions
  /** The life of tokens that do not state it. */
  readonly tokenLifeSec?: number
  /** Runs real processes by default. */
  readonly runHelper?: RunHelper
  /** How a person signs in; without it nobody can. */
  readonly openSignIn?: OpenSignIn
  readonly findPerson: () => PersonState
  /** Called for each token that is printed. `expired`: it was printed before and has expired in simulated time. */
  readonly onToken: (state: 'live' | 'expired') => void
}
